package headrace.python

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8

/** A message that is being written: numbers in the order of little machines, which is the order of most, and of Python's
  * arrays there.
  */
final class FrameWriter {
  private var buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN)

  def byte(value: Int): this.type = { room(1).put(value.toByte); this }

  def int(value: Int): this.type = { room(4).putInt(value); this }

  def long(value: Long): this.type = { room(8).putLong(value); this }

  def ints(values: Array[Int], count: Int): this.type = {
    val into = room(4 * count)
    var i = 0
    while (i < count) { into.putInt(values(i)); i += 1 }
    this
  }

  def longs(values: Array[Long], count: Int): this.type = {
    val into = room(8 * count)
    var i = 0
    while (i < count) { into.putLong(values(i)); i += 1 }
    this
  }

  /** Bytes with their number in front, -1 for null. */
  def bytes(value: Array[Byte]): this.type =
    if (value == null) int(-1) else { room(4 + value.length).putInt(value.length).put(value); this }

  def text(value: String): this.type = bytes(value.getBytes(UTF_8))

  /** A column of bytes: all numbers first, then all bytes; a column of nulls is one number. */
  def column(values: Array[Array[Byte]], count: Int): this.type = {
    var size, i = 0
    var some = false
    while (i < count) {
      if (values(i) != null) { size += values(i).length; some = true }
      i += 1
    }
    if (!some) return int(-1)
    val into = room(4 + 4 * count + size)
    into.putInt(size)
    i = 0
    while (i < count) { into.putInt(if (values(i) == null) -1 else values(i).length); i += 1 }
    i = 0
    while (i < count) { if (values(i) != null) into.put(values(i)); i += 1 }
    this
  }

  /** Takes the bytes that were written, good until the next are. */
  def take(): ByteBuffer = {
    val written = buffer.duplicate().flip()
    buffer.clear()
    written
  }

  private def room(size: Int): ByteBuffer = {
    if (buffer.remaining < size) {
      val larger = ByteBuffer.allocate(math.max(buffer.capacity * 2, buffer.position() + size)).order(ByteOrder.LITTLE_ENDIAN)
      buffer = larger.put(buffer.flip())
    }
    buffer
  }
}

/** A message that was read, in the first bytes of an array. */
final class FrameReader(data: Array[Byte], size: Int) {
  private val buffer = ByteBuffer.wrap(data, 0, size).order(ByteOrder.LITTLE_ENDIAN)

  def byte(): Int = buffer.get()

  def int(): Int = buffer.getInt()

  def long(): Long = buffer.getLong()

  def ints(count: Int): Array[Int] = {
    val values = new Array[Int](count)
    buffer.asIntBuffer.get(values)
    buffer.position(buffer.position() + 4 * count)
    values
  }

  def longs(count: Int): Array[Long] = {
    val values = new Array[Long](count)
    buffer.asLongBuffer.get(values)
    buffer.position(buffer.position() + 8 * count)
    values
  }

  def bytes(): Array[Byte] = cut(int())

  def text(): String = new String(bytes(), UTF_8)

  /** What [[FrameWriter.column]] wrote; null for a column of nulls. */
  def column(count: Int): Array[Array[Byte]] = if (int() < 0) null else {
    val sizes = ints(count)
    val values = new Array[Array[Byte]](count)
    var i = 0
    while (i < count) { values(i) = cut(sizes(i)); i += 1 }
    values
  }

  private def cut(size: Int): Array[Byte] = if (size < 0) null else {
    val value = new Array[Byte](size)
    buffer.get(value)
    value
  }
}
