package headrace.functions

import java.nio.ByteBuffer
import java.nio.CharBuffer
import java.nio.charset.{CodingErrorAction, StandardCharsets}

import headrace.model.Refusal
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The primitive serdes: Kafka's own bytes, with the checks and the words of `headrace.serde.primitives`.
  *
  * Static methods: generated code calls them by name. Null never comes here.
  */
object Codecs {
  def decodeString(data: Array[Byte]): UTF8String = {
    val text = UTF8String.fromBytes(data)
    if (!isAscii(data) && !text.isValid) {
      val at = firstInvalid(data)
      throw new Refusal(f"byte 0x${data(at)}%02x at $at is not UTF-8")
    }
    text
  }

  def decodeBytes(data: Array[Byte]): Array[Byte] = data
  def decodeInt32(data: Array[Byte]): Long = ByteBuffer.wrap(sized(data, 4)).getInt.toLong
  def decodeInt64(data: Array[Byte]): Long = ByteBuffer.wrap(sized(data, 8)).getLong
  def decodeDouble(data: Array[Byte]): Double = ByteBuffer.wrap(sized(data, 8)).getDouble

  def decodeBool(data: Array[Byte]): Boolean = {
    val byte = sized(data, 1)(0)
    if (byte != 0 && byte != 1) throw new Refusal(f"byte 0x$byte%02x, 0x00 or 0x01 is needed")
    byte == 1
  }

  def encodeString(text: UTF8String): Array[Byte] = text.getBytes
  def encodeBytes(data: Array[Byte]): Array[Byte] = data
  def encodeInt64(number: Long): Array[Byte] = ByteBuffer.allocate(8).putLong(number).array
  def encodeBool(truth: Boolean): Array[Byte] = Array[Byte](if (truth) 1 else 0)

  def encodeInt32(number: Long): Array[Byte] = {
    if (number != number.toInt) throw new Refusal(s"$number does not fit 32 bits")
    ByteBuffer.allocate(4).putInt(number.toInt).array
  }

  /** Every NaN is written as one, as Kafka's serializer does. */
  def encodeDouble(number: Double): Array[Byte] =
    ByteBuffer.allocate(8).putLong(java.lang.Double.doubleToLongBits(number)).array

  /** The key of a windowed one, in front of so many bytes of times. */
  def windowedKey(data: Array[Byte], times: Int): Array[Byte] = {
    if (data.length < times)
      throw new Refusal(s"${data.length} bytes, at least $times are needed for the times of the window")
    java.util.Arrays.copyOf(data, data.length - times)
  }

  /** The time that begins so many bytes before the end of a windowed key. */
  def windowedTime(data: Array[Byte], back: Int): Long = ByteBuffer.wrap(data).getLong(data.length - back)

  private def sized(data: Array[Byte], size: Int): Array[Byte] = {
    if (data.length != size) {
      val there = s"${data.length} byte${if (data.length == 1) "" else "s"}"
      throw new Refusal(s"$there, $size ${if (size == 1) "is" else "are"} needed")
    }
    data
  }

  /** Most texts are, and eight bytes at once are quickly looked at. */
  private def isAscii(data: Array[Byte]): Boolean = {
    val words = data.length & ~7
    var found = 0L
    var i = 0
    while (i < words) {
      found |= Platform.getLong(data, Platform.BYTE_ARRAY_OFFSET + i)
      i += 8
    }
    while (i < data.length) {
      found |= data(i)
      i += 1
    }
    (found & 0x8080808080808080L) == 0
  }

  private def firstInvalid(data: Array[Byte]): Int = {
    val input = ByteBuffer.wrap(data)
    StandardCharsets.UTF_8.newDecoder
      .onMalformedInput(CodingErrorAction.REPORT)
      .decode(input, CharBuffer.allocate(data.length), true)
    input.position()
  }
}
