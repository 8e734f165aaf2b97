package headrace.functions

import java.util.{ArrayList => JavaList}

import com.ibm.icu.lang.UCharacter
import com.ibm.icu.lang.UCharacterEnums.ECharacterCategory
import com.ibm.icu.util.ULocale
import headrace.model.Refusal
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

/** Methods of str as Python has them, where Java or Spark mean something else.
  *
  * Static methods: generated code calls them by name. Works on UTF-8 bytes where characters need not be told apart.
  */
object Text {
  def lower(text: UTF8String): UTF8String =
    if (text.isFullAscii) text.toLowerCase else UTF8String.fromString(UCharacter.toLowerCase(ULocale.ROOT, text.toString))

  def upper(text: UTF8String): UTF8String =
    if (text.isFullAscii) text.toUpperCase else UTF8String.fromString(UCharacter.toUpperCase(ULocale.ROOT, text.toString))

  def casefold(text: UTF8String): UTF8String =
    if (text.isFullAscii) text.toLowerCase else UTF8String.fromString(UCharacter.foldCase(text.toString, true))

  // -- white space: what Python's str.isspace() says

  def strip(text: UTF8String): UTF8String = stripped(text, left = true, right = true)
  def lstrip(text: UTF8String): UTF8String = stripped(text, left = true, right = false)
  def rstrip(text: UTF8String): UTF8String = stripped(text, left = false, right = true)

  private def stripped(text: UTF8String, left: Boolean, right: Boolean): UTF8String = {
    val bytes = text.getBytes
    var from = 0
    var until = bytes.length
    if (left) {
      var space = spaceAt(bytes, from)
      while (space > 0) { from += space; space = spaceAt(bytes, from) }
    }
    if (right) {
      var last = lastCharacter(bytes, from, until)
      while (last >= 0 && spaceAt(bytes, last) > 0) { until = last; last = lastCharacter(bytes, from, until) }
    }
    UTF8String.fromBytes(bytes, from, until - from)
  }

  def split(text: UTF8String): ArrayData = {
    val bytes = text.getBytes
    val words = new JavaList[AnyRef]
    var at = 0
    while (at < bytes.length) {
      val space = spaceAt(bytes, at)
      if (space > 0) at += space
      else {
        val from = at
        while (at < bytes.length && spaceAt(bytes, at) == 0) at += 1
        words.add(UTF8String.fromBytes(bytes, from, at - from))
      }
    }
    new GenericArrayData(words.toArray)
  }

  /** How many bytes of white space there are at a place; 0 inside and at the start of any other character. */
  private def spaceAt(bytes: Array[Byte], at: Int): Int =
    if (at >= bytes.length) 0
    else {
      val first = bytes(at)
      if (first >= 0) if (first == ' ' || (first >= 0x09 && first <= 0x0d) || (first >= 0x1c && first <= 0x1f)) 1 else 0
      else if (first == 0xc2.toByte) if (bytes(at + 1) == 0x85.toByte || bytes(at + 1) == 0xa0.toByte) 2 else 0
      else if (first >= 0xe1.toByte && first <= 0xe3.toByte) {
        val code = ((first & 0x0f) << 12) | ((bytes(at + 1) & 0x3f) << 6) | (bytes(at + 2) & 0x3f)
        if (isHighSpace(code)) 3 else 0
      } else 0
    }

  private def isHighSpace(code: Int): Boolean =
    code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
      code == 0x202f || code == 0x205f || code == 0x3000

  private def lastCharacter(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = until - 1
    while (at > from && (bytes(at) & 0xc0) == 0x80) at -= 1
    if (at >= from) at else -1
  }

  // -- given characters

  def stripOf(text: UTF8String, chars: UTF8String): UTF8String = strippedOf(text, chars, left = true, right = true)
  def lstripOf(text: UTF8String, chars: UTF8String): UTF8String = strippedOf(text, chars, left = true, right = false)
  def rstripOf(text: UTF8String, chars: UTF8String): UTF8String = strippedOf(text, chars, left = false, right = true)

  private def strippedOf(text: UTF8String, chars: UTF8String, left: Boolean, right: Boolean): UTF8String = {
    val codes = text.toString.codePoints.toArray
    val set = chars.toString
    var from = 0
    var until = codes.length
    if (left) while (from < until && set.indexOf(codes(from)) >= 0) from += 1
    if (right) while (until > from && set.indexOf(codes(until - 1)) >= 0) until -= 1
    UTF8String.fromString(new String(codes, from, until - from))
  }

  def splitAt(text: UTF8String, separator: UTF8String): ArrayData = {
    if (separator.numBytes == 0) throw new Refusal("empty separator")
    val bytes = text.getBytes
    val sought = separator.getBytes
    val parts = new JavaList[AnyRef]
    var from = 0
    var at = next(bytes, sought, from)
    while (at >= 0) {
      parts.add(UTF8String.fromBytes(bytes, from, at - from))
      from = at + sought.length
      at = next(bytes, sought, from)
    }
    parts.add(UTF8String.fromBytes(bytes, from, bytes.length - from))
    new GenericArrayData(parts.toArray)
  }

  private def next(bytes: Array[Byte], sought: Array[Byte], from: Int): Int = {
    var at = from
    while (at <= bytes.length - sought.length) {
      if (java.util.Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length)) return at
      at += 1
    }
    -1
  }

  def replace(text: UTF8String, old: UTF8String, by: UTF8String): UTF8String =
    if (old.numBytes > 0) text.replace(old, by)
    else {
      // Nothing is found before every character and at the end.
      val result = new java.lang.StringBuilder(by.toString)
      text.toString.codePoints.forEach { code => result.appendCodePoint(code).append(by.toString) }
      UTF8String.fromString(result.toString)
    }

  // -- repr()

  def repr(text: UTF8String): UTF8String = {
    val characters = text.toString
    val quote = quoteFor(characters.indexOf('\'') >= 0, characters.indexOf('"') >= 0)
    val result = new java.lang.StringBuilder().append(quote)
    characters.codePoints.forEach { code =>
      if (code < 0x80) appendAscii(result, code, quote)
      else if (isPrintable(code)) result.appendCodePoint(code)
      else if (code <= 0xff) result.append(f"\\x$code%02x")
      else if (code <= 0xffff) result.append(f"\\u$code%04x")
      else result.append(f"\\U$code%08x")
    }
    UTF8String.fromString(result.append(quote).toString)
  }

  def bytesRepr(bytes: Array[Byte]): UTF8String = {
    val quote = quoteFor(bytes.contains('\''.toByte), bytes.contains('"'.toByte))
    val result = new java.lang.StringBuilder("b").append(quote)
    bytes.foreach { byte => appendAscii(result, byte & 0xff, quote) }
    UTF8String.fromString(result.append(quote).toString)
  }

  private def quoteFor(hasSingle: Boolean, hasDouble: Boolean): Char = if (hasSingle && !hasDouble) '"' else '\''

  private def appendAscii(result: java.lang.StringBuilder, code: Int, quote: Char): Unit = code match {
    case '\\' => result.append("\\\\")
    case '\n' => result.append("\\n")
    case '\r' => result.append("\\r")
    case '\t' => result.append("\\t")
    case _ if code == quote => result.append('\\').append(quote)
    case _ if code >= 0x20 && code < 0x7f => result.append(code.toChar)
    case _ => result.append(f"\\x$code%02x")
  }

  /** What str.isprintable() says. Characters newer than either Unicode table may be told apart by the other. */
  private def isPrintable(code: Int): Boolean = UCharacter.getType(code).toByte match {
    case ECharacterCategory.UNASSIGNED | ECharacterCategory.CONTROL | ECharacterCategory.FORMAT |
        ECharacterCategory.PRIVATE_USE | ECharacterCategory.SURROGATE | ECharacterCategory.SPACE_SEPARATOR |
        ECharacterCategory.LINE_SEPARATOR | ECharacterCategory.PARAGRAPH_SEPARATOR => false
    case _ => true
  }

  // -- numbers in words: what int() and float() of a str take

  /** Far longer ones are refused by Python as well. */
  private val MostDigits = 4300

  def integer(text: UTF8String): Long = {
    val number = plain(text.toString)
    val from = signed(number)
    val until = digits(number, from)
    if (until == from || until != number.length) throw new Refusal(s"${shown(text)} is not an int")
    val figures = number.substring(from).replace("_", "")
    if (figures.length > MostDigits) throw new Refusal(s"${shown(text)} is not an int")
    try new java.math.BigInteger(number.substring(0, from) + figures).longValueExact
    catch { case _: ArithmeticException => throw new Refusal(Refusal.TooBig) }
  }

  def floating(text: UTF8String): Double = {
    val number = plain(text.toString)
    val from = signed(number)
    val sign = if (number.startsWith("-")) -1.0 else 1.0
    number.substring(from).toLowerCase(java.util.Locale.ROOT) match {
      case "inf" | "infinity" => sign * Double.PositiveInfinity
      case "nan" => Double.NaN
      case _ if isDecimal(number, from) => java.lang.Double.parseDouble(number.replace("_", ""))
      case _ => throw new Refusal(s"${shown(text)} is not a float")
    }
  }

  private def isDecimal(number: String, from: Int): Boolean = {
    val whole = digits(number, from)
    val fraction = if (whole < number.length && number(whole) == '.') digits(number, whole + 1) else whole
    val hasDigits = whole > from || fraction > whole + 1
    val end =
      if (fraction < number.length && (number(fraction) == 'e' || number(fraction) == 'E')) {
        val start = fraction + 1
        val power = if (start < number.length && (number(start) == '+' || number(start) == '-')) start + 1 else start
        val last = digits(number, power)
        if (last > power) last else -1
      } else fraction
    hasDigits && end == number.length
  }

  /** Where a run of digits ends that begins here; one underscore may stand between two of them. */
  private def digits(number: String, from: Int): Int = {
    def isDigit(at: Int): Boolean = at < number.length && number(at) >= '0' && number(at) <= '9'
    var at = from
    while (isDigit(at) || (at > from && at < number.length && number(at) == '_' && isDigit(at - 1) && isDigit(at + 1)))
      at += 1
    at
  }

  private def signed(number: String): Int = if (number.startsWith("-") || number.startsWith("+")) 1 else 0

  /** Digits of any script as ASCII, without the white space around; of ASCII, only C's isspace() counts here. */
  private def plain(text: String): String = {
    val result = new java.lang.StringBuilder
    text.codePoints.forEach { code =>
      if (code < 127) result.append(code.toChar)
      else if (code == 0x85 || code == 0xa0 || isHighSpace(code)) result.append(' ')
      else {
        val digit = UCharacter.digit(code, 10)
        result.append(if (digit < 0) '?' else ('0' + digit).toChar)
      }
    }
    val isSpace = (c: Char) => c == ' ' || (c >= 0x09 && c <= 0x0d)
    val ascii = result.toString.dropWhile(isSpace)
    ascii.take(ascii.lastIndexWhere(c => !isSpace(c)) + 1)
  }

  private def shown(text: UTF8String): String =
    if (text.numChars <= 40) s"'$text'" else s"'${text.substring(0, 40)}'..."
}
