package headrace.model

import java.nio.ByteBuffer
import java.util.{Arrays, Comparator}

/** Keys of cells: bytes composed so that they sort as they have to. */
object Bytes {
  val LongBytes = 8

  /** Behind all keys that begin with a time. */
  val End: Array[Byte] = Array.fill(LongBytes + 1)(-1)

  val order: Comparator[Array[Byte]] = Arrays.compareUnsigned(_, _)

  def compare(x: Array[Byte], y: Array[Byte]): Int = Arrays.compareUnsigned(x, y)

  /** A time in eight bytes whose order is that of the times, those before 1970 first. */
  def ofTime(ms: Long): Array[Byte] = ByteBuffer.allocate(LongBytes).putLong(ms ^ Long.MinValue).array

  /** The time that `ofTime` wrote at a place. */
  def time(bytes: Array[Byte], place: Int): Long = ByteBuffer.wrap(bytes).getLong(place) ^ Long.MinValue

  /** A time and then a key: the order of the times, at one time that of the keys. */
  def timeAndKey(ms: Long, key: Array[Byte]): Array[Byte] =
    ByteBuffer.allocate(LongBytes + key.length).putLong(ms ^ Long.MinValue).put(key).array

  /** All parts one behind the other. */
  def joined(parts: Array[Byte]*): Array[Byte] = {
    val whole = ByteBuffer.allocate(parts.map(_.length).sum)
    parts.foreach(part => whole.put(part))
    whole.array
  }

  /** The bytes such that others may follow and their order stays the one of the bytes alone: their end is two zeros, and
    * behind each zero inside stands a one.
    */
  def ended(bytes: Array[Byte]): Array[Byte] = {
    val whole = ByteBuffer.allocate(bytes.length + bytes.count(_ == 0) + 2)
    bytes.foreach { byte =>
      whole.put(byte)
      if (byte == 0) whole.put(1.toByte)
    }
    whole.array
  }

  /** The bytes that `ended` wrote at a place. */
  def unended(bytes: Array[Byte], begin: Int): Array[Byte] = {
    val found = new java.io.ByteArrayOutputStream
    var place = begin
    while (bytes(place) != 0 || bytes(place + 1) != 0) {
      found.write(bytes(place))
      place += (if (bytes(place) == 0) 2 else 1)
    }
    found.toByteArray
  }

  /** The first key behind another. */
  def next(key: Array[Byte]): Array[Byte] = Arrays.copyOf(key, key.length + 1)

  /** The bytes with their number in front: no such key is the beginning of another. */
  def sized(bytes: Array[Byte]): Array[Byte] = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array

  /** The first key behind all that begin with these bytes. */
  def behind(prefix: Array[Byte]): Array[Byte] = {
    val next = prefix.reverse.dropWhile(_ == -1).reverse
    next(next.length - 1) = (next(next.length - 1) + 1).toByte
    next
  }

  /** Several parts in one, any of which may be null. */
  def packed(parts: Array[Byte]*): Array[Byte] = {
    val whole = ByteBuffer.allocate(parts.map(part => Integer.BYTES + (if (part == null) 0 else part.length)).sum)
    parts.foreach(part => if (part == null) whole.putInt(-1) else whole.putInt(part.length).put(part))
    whole.array
  }

  /** Parts of packed bytes. */
  def parts(packed: Array[Byte]): Iterator[Array[Byte]] = {
    val whole = ByteBuffer.wrap(packed)
    Iterator.continually(whole).takeWhile(_.hasRemaining).map { rest =>
      val size = rest.getInt
      if (size < 0) null
      else {
        val part = new Array[Byte](size)
        rest.get(part)
        part
      }
    }
  }
}
