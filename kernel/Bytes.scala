package org.apache.spark.sql.headrace

import java.nio.ByteBuffer
import java.util.{Arrays, Comparator}

/** Bytes that are keys of cells: put together such that their order is the one wanted. */
object Bytes {
  val LongBytes = 8

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

  /** The bytes with their number in front: no such key is the beginning of another. */
  def sized(bytes: Array[Byte]): Array[Byte] = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array
}
