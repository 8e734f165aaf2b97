package headrace.json

import java.nio.charset.StandardCharsets.UTF_8

import headrace.model.Refusal
import org.apache.spark.unsafe.types.UTF8String

/** The texts of JSON, and where in it one is. */
abstract class JsonStrings(data: Array[Byte]) {
  protected val until: Int = data.length

  /** Position in the text; at the first byte of a value, or behind one. */
  var at = 0

  /** Whether half a character was read: one of a surrogate pair alone, which is written as \uD800. */
  var half = false

  /** The text here. */
  def text(): UTF8String = {
    val begin = at + 1
    val stop = plainFrom(begin)
    if (stop < until && data(stop) == '"') { at = stop + 1; UTF8String.fromBytes(data, begin, stop - begin) }
    else UTF8String.fromString(escaped(at, stop))
  }

  /** Text here, which may have halves of characters. */
  protected def string(): String = {
    val begin = at + 1
    val stop = plainFrom(begin)
    if (stop < until && data(stop) == '"') { at = stop + 1; new String(data, begin, stop - begin, UTF_8) }
    else escaped(at, stop)
  }

  private def plainFrom(begin: Int): Int = {
    var i = begin
    while (i < until && data(i) != '"' && data(i) != '\\' && (data(i) >= 0x20 || data(i) < 0)) i += 1
    i
  }

  private def escaped(begin: Int, stop: Int): String = {
    val result = new java.lang.StringBuilder
    var i = stop
    var copied = begin + 1
    while (i >= until || data(i) != '"') {
      if (i >= until) throw refusal("Unterminated string starting at", begin)
      if (data(i) != '\\') throw refusal("Invalid control character at", i)
      result.append(new String(data, copied, i - copied, UTF_8))
      if (i + 1 == until) throw refusal("Unterminated string starting at", begin)
      if (data(i + 1) == 'u') i = unicode(i + 1, result)
      else {
        val c = "\"\\/bfnrt".indexOf(data(i + 1))
        if (c < 0) throw refusal("Invalid \\escape", i)
        result.append("\"\\/\b\f\n\r\t".charAt(c))
        i += 2
      }
      copied = i
      i = plainFrom(i)
    }
    at = i + 1
    result.append(new String(data, copied, i - copied, UTF_8)).toString
  }

  /** Appends the character of a `uXXXX`, and of the next one if the two are a pair; gives where it ends. */
  private def unicode(u: Int, result: java.lang.StringBuilder): Int = {
    val first = hex(u)
    var end = u + 5
    result.append(first)
    if (Character.isHighSurrogate(first) && charsFrom(end) > 6 && data(end) == '\\' && data(end + 1) == 'u') {
      val second = hex(end + 1)
      if (Character.isLowSurrogate(second)) { result.append(second); return end + 6 }
    }
    half ||= Character.isSurrogate(first)
    end
  }

  private def hex(u: Int): Char = {
    if (u + 5 >= until) throw refusal("Invalid \\uXXXX escape", u)
    var code = 0
    var i = u + 1
    while (i < u + 5) {
      val digit = if (data(i) < 0) -1 else Character.digit(data(i), 16)
      if (digit < 0) throw refusal("Invalid \\uXXXX escape", u)
      code = code * 16 + digit
      i += 1
    }
    code.toChar
  }

  private def charsFrom(begin: Int): Int = {
    var found = 0
    var i = begin
    while (i < until && found <= 6) { if (isFirst(i)) found += 1; i += 1 }
    found
  }

  protected def space(): Unit =
    while (at < until && (data(at) == ' ' || data(at) == '\n' || data(at) == '\t' || data(at) == '\r')) at += 1

  protected def isWord(word: String): Boolean = isWordAt(at, word)

  protected def isWordAt(begin: Int, word: String): Boolean = {
    var i = 0
    while (i < word.length && begin + i < until && data(begin + i) == word.charAt(i)) i += 1
    i == word.length
  }

  protected def isFirst(i: Int): Boolean = (data(i) & 0xc0) != 0x80

  protected def noValue(place: Int): Refusal = refusal("Expecting value", place)

  /** Python counts characters. */
  protected def refusal(words: String, place: Int): Refusal =
    new Refusal(s"not JSON at ${(0 until place).count(isFirst)}: $words")
}
