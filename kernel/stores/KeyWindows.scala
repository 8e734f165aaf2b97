package headrace.stores

import java.nio.ByteBuffer
import java.util.Arrays

import headrace.model.Bytes

/** Window of a key.
  *
  * @param time what it is found and forgotten by: the start, of a session the end
  */
final class WindowRow(val of: KeyWindows, val time: Long, val start: Long) extends Emitted {
  /** Whether the state has this window, and whether it has changed since. */
  private[headrace] var inState, changed = false

  override def key: Array[Byte] =
    if (of.sessions) WindowedKey.ofSession(of.key, time, start) else WindowedKey.ofStart(of.key, start)

  def isBefore(otherTime: Long, otherStart: Long): Boolean =
    if (time != otherTime) time < otherTime else start < otherStart
}

/** The windows of one key that are in memory, by time, then by start. */
final class KeyWindows(val key: Array[Byte], val sessions: Boolean) {
  private var rows = new Array[WindowRow](2)
  private var size = 0

  /** All that the state has from one time to another is in memory; none is if they are the wrong way round. */
  private[headrace] var from = Long.MaxValue
  private[headrace] var to = Long.MinValue

  def find(time: Long, start: Long): WindowRow = {
    val place = placeOf(time, start)
    if (place < size && rows(place).time == time && rows(place).start == start) rows(place) else null
  }

  def add(row: WindowRow): Unit = {
    if (size == rows.length) rows = Arrays.copyOf(rows, size * 2)
    val place = placeOf(row.time, row.start)
    System.arraycopy(rows, place, rows, place + 1, size - place)
    rows(place) = row
    size += 1
  }

  def remove(row: WindowRow): Boolean = {
    val place = placeOf(row.time, row.start)
    val there = place < size && (rows(place) eq row)
    if (there) {
      size -= 1
      System.arraycopy(rows, place + 1, rows, place, size - place)
      rows(size) = null
    }
    there
  }

  /** The windows from one time to another, both inside. */
  def between(first: Long, last: Long): Array[WindowRow] = {
    val begin = placeOf(first, Long.MinValue)
    var end = size
    while (end > begin && rows(end - 1).time > last) end -= 1
    Arrays.copyOfRange(rows, begin, end)
  }

  def foreach(use: WindowRow => Unit): Unit = {
    var i = 0
    while (i < size) {
      use(rows(i))
      i += 1
    }
  }

  /** The first place that is not before; mostly it is behind all of them. */
  private def placeOf(time: Long, start: Long): Int = {
    var low = if (size > 0 && rows(size - 1).isBefore(time, start)) size else 0
    var high = size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (rows(middle).isBefore(time, start)) low = middle + 1 else high = middle
    }
    low
  }
}

/** Keys of windowed tables, in the bytes of Kafka's own serdes. */
object WindowedKey {
  def ofStart(key: Array[Byte], start: Long): Array[Byte] =
    ByteBuffer.allocate(key.length + Bytes.LongBytes).put(key).putLong(start).array

  def ofSession(key: Array[Byte], end: Long, start: Long): Array[Byte] =
    ByteBuffer.allocate(key.length + 2 * Bytes.LongBytes).put(key).putLong(end).putLong(start).array

  /** The key inside. */
  def inner(key: Array[Byte], sessions: Boolean): Array[Byte] = Arrays.copyOf(key, key.length - times(sessions))

  def start(key: Array[Byte]): Long = ByteBuffer.wrap(key).getLong(key.length - Bytes.LongBytes)

  /** End of a session. */
  def end(key: Array[Byte]): Long = ByteBuffer.wrap(key).getLong(key.length - 2 * Bytes.LongBytes)

  private def times(sessions: Boolean): Int = if (sessions) 2 * Bytes.LongBytes else Bytes.LongBytes
}
