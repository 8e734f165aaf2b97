package headrace.functions

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

import scala.collection.mutable.ArrayBuffer

import headrace.model.Refusal
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Substrings: the methods of str that look for parts of it, take it apart, and fill it up, as Python has them. */
object Parts {
  private val Longest = 1000000
  private val words = ArrayType(StringType)

  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(name, getClass, method, gives, takes: _*)
    Seq(
      static("hr_find", "find", LongType, StringType, StringType),
      static("hr_rfind", "rfind", LongType, StringType, StringType),
      static("hr_occurrences", "occurrences", LongType, StringType, StringType),
      static("hr_removeprefix", "removeprefix", StringType, StringType, StringType),
      static("hr_removesuffix", "removesuffix", StringType, StringType, StringType),
      static("hr_rsplit_at", "rsplitAt", words, StringType, StringType, LongType),
      static("hr_split_most", "splitAt", words, StringType, StringType, LongType),
      static("hr_splitlines", "splitlines", words, StringType),
      static("hr_join", "join", StringType, StringType, words),
      static("hr_zfill", "zfill", StringType, StringType, LongType),
      static("hr_ljust", "ljust", StringType, StringType, LongType, StringType),
      static("hr_rjust", "rjust", StringType, StringType, LongType, StringType),
      static("hr_center", "center", StringType, StringType, LongType, StringType),
      static("hr_repeated", "repeated", StringType, StringType, LongType),
      static("hr_decoded", "decoded", StringType, BinaryType),
      static("hr_from_hex", "fromHex", BinaryType, StringType))
  }

  // -- looking for parts; places are counted in characters

  def find(text: UTF8String, part: UTF8String): Long = text.indexOf(part, 0)

  def rfind(text: UTF8String, part: UTF8String): Long = {
    val whole = text.toString
    val at = whole.lastIndexOf(part.toString)
    if (at < 0) -1 else whole.codePointCount(0, at)
  }

  def occurrences(text: UTF8String, part: UTF8String): Long =
    if (part.numBytes == 0) text.numChars + 1 else pieces(text.toString, part.toString, Long.MaxValue).length - 1

  def removeprefix(text: UTF8String, part: UTF8String): UTF8String =
    if (text.startsWith(part)) bytes(text, part.numBytes, text.numBytes) else text

  def removesuffix(text: UTF8String, part: UTF8String): UTF8String =
    if (text.endsWith(part)) bytes(text, 0, text.numBytes - part.numBytes) else text

  private def bytes(text: UTF8String, from: Int, until: Int): UTF8String =
    UTF8String.fromBytes(text.getBytes, from, until - from)

  // -- taking apart and together

  def splitAt(text: UTF8String, separator: UTF8String, most: Long): ArrayData = {
    if (separator.numBytes == 0) throw new Refusal("empty separator")
    listed(pieces(text.toString, separator.toString, if (most < 0) Long.MaxValue else most))
  }

  def rsplitAt(text: UTF8String, separator: UTF8String, most: Long): ArrayData = {
    if (separator.numBytes == 0) throw new Refusal("empty separator")
    val whole = text.toString
    val sought = separator.toString
    val found = ArrayBuffer.empty[String]
    var until = whole.length
    var at = whole.lastIndexOf(sought, until - sought.length)
    while (at >= 0 && until >= sought.length && (most < 0 || found.length < most)) {
      found += whole.substring(at + sought.length, until)
      until = at
      at = if (until < sought.length) -1 else whole.lastIndexOf(sought, until - sought.length)
    }
    listed((found += whole.substring(0, until)).reverse)
  }

  def splitlines(text: UTF8String): ArrayData = {
    val whole = text.toString
    val found = ArrayBuffer.empty[String]
    var from = 0
    var at = 0
    while (at < whole.length) {
      val size = if (whole.startsWith("\r\n", at)) 2 else if (isBreak(whole(at))) 1 else 0
      if (size > 0) { found += whole.substring(from, at); from = at + size }
      at += Math.max(size, 1)
    }
    if (from < whole.length) found += whole.substring(from)
    listed(found)
  }

  private def isBreak(c: Char): Boolean =
    (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029

  def join(separator: UTF8String, parts: ArrayData): UTF8String = {
    val texts = Array.tabulate(parts.numElements()) { at =>
      if (parts.isNullAt(at)) throw new Refusal("None cannot be joined", "TypeError")
      parts.getUTF8String(at)
    }
    UTF8String.concatWs(separator, texts: _*)
  }

  private def pieces(whole: String, sought: String, most: Long): ArrayBuffer[String] = {
    val found = ArrayBuffer.empty[String]
    var from = 0
    var at = whole.indexOf(sought)
    while (at >= 0 && found.length < most) {
      found += whole.substring(from, at)
      from = at + sought.length
      at = whole.indexOf(sought, from)
    }
    found += whole.substring(from)
  }

  private def listed(texts: ArrayBuffer[String]): ArrayData =
    new GenericArrayData(texts.map(one => UTF8String.fromString(one): Any).toArray)

  // -- filling up

  def zfill(text: UTF8String, width: Long): UTF8String = {
    val room = missing(text, width)
    val whole = text.toString
    val sign = if (room > 0 && (whole.startsWith("+") || whole.startsWith("-"))) 1 else 0
    UTF8String.fromString(whole.substring(0, sign) + "0".repeat(room) + whole.substring(sign))
  }

  def ljust(text: UTF8String, width: Long, fill: UTF8String): UTF8String = filled(text, 0, missing(text, width), fill)
  def rjust(text: UTF8String, width: Long, fill: UTF8String): UTF8String = filled(text, missing(text, width), 0, fill)

  def center(text: UTF8String, width: Long, fill: UTF8String): UTF8String = {
    val room = missing(text, width)
    val left = room / 2 + (room & width.toInt & 1)
    filled(text, left, room - left, fill)
  }

  private def filled(text: UTF8String, left: Int, right: Int, fill: UTF8String): UTF8String = {
    if (fill.numChars != 1) throw new Refusal("the fill character has to be one character")
    UTF8String.concat(fill.repeat(left), text, fill.repeat(right))
  }

  private def missing(text: UTF8String, width: Long): Int = {
    if (width > Longest) throw new Refusal(s"$width characters are more than $Longest")
    if (width > text.numChars) (width - text.numChars).toInt else 0
  }

  def repeated(text: UTF8String, times: Long): UTF8String = {
    val length = BigInt(text.numChars) * BigInt(Math.max(times, 0))
    if (length > Longest) throw new Refusal(s"$length characters are more than $Longest")
    if (length == 0) UTF8String.EMPTY_UTF8 else text.repeat(times.toInt)
  }

  // -- bytes

  def decoded(data: Array[Byte]): UTF8String =
    try { StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(data)); UTF8String.fromBytes(data) }
    catch { case _: CharacterCodingException => throw new Refusal("the bytes are not UTF-8") }

  def fromHex(text: UTF8String): Array[Byte] =
    try java.util.HexFormat.of.parseHex(text.toString)
    catch { case _: IllegalArgumentException => throw new Refusal("the text is not hexadecimal") }
}
