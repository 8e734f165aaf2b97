package org.apache.spark.sql.headrace

import java.nio.ByteBuffer

/** What a key has at a time. */
final class Timed(val key: Array[Byte], val time: Long, val stored: Stored)

/** Values by key and time, for a while.
  *
  * What lies `retentionMs` or more behind the newest time that was put is gone, for reading and for good; putting there
  * does nothing. With `duplicates` a key keeps every value of one time, in the order they came.
  *
  * In the cells stand the chunk of the time, the key with its size, the time, and for duplicates a number. So what a key
  * has at times close to each other lies together, and a chunk that is gone is removed as a whole.
  */
final class WindowStore(cells: Cells, memory: Memory, name: String, retentionMs: Long, chunkMs: Long, duplicates: Boolean) {
  import WindowStore._

  private val newest = memory.of(name, "newest", Never)
  private val numbers = memory.of(name, "number", 0)
  /** What was gone before the batch. */
  private val goneBefore = gone

  /** All times up to here are gone. */
  def gone: Long = if (newest.value == Never) Never else newest.value - retentionMs

  /** Whether what is put under a time stays, and what was put there is still known. */
  def keeps(time: Long): Boolean = time > gone

  /** Store a value under a key and a time; null removes what is there. */
  def put(key: Array[Byte], time: Long, value: Array[Byte], ts: Long): Unit = {
    if (time > newest.value) newest.value = time
    if (keeps(time)) {
      if (value != null) cells.put(place(key, time), new Stored(value, ts).bytes)
      else if (!duplicates) cells.remove(place(key, time))
    }
  }

  /** What is stored under a key and a time. */
  def get(key: Array[Byte], time: Long): Stored = if (keeps(time)) lingering(key, time) else null

  /** The same, but what was forgotten in this batch is still there. */
  def lingering(key: Array[Byte], time: Long): Stored =
    if (time > goneBefore) Stored.of(cells.get(place(key, time))) else null

  /** What a key has from one time to another, both inside, by time, then in the order it came. */
  def fetch(key: Array[Byte], first: Long, last: Long): Iterator[Timed] = {
    val begin = math.max(first, gone + 1)
    val end = math.min(last, newest.value)
    if (newest.value == Never || begin > end) Iterator.empty
    else chunks(begin, end).flatMap { chunk =>
      val of = Bytes.joined(Bytes.ofTime(chunk), Bytes.sized(key))
      val from = Bytes.joined(of, Bytes.ofTime(math.max(begin, chunk)))
      val until = Bytes.joined(of, Bytes.ofTime(math.min(end, chunk + chunkMs - 1) + 1))
      cells.scan(from, until).map(timed)
    }
  }

  /** What all keys have from one time to another, both inside, by time, then by the bytes of the key. */
  def fetchAll(first: Long, last: Long): Iterator[Timed] = {
    val begin = math.max(first, gone + 1)
    val end = math.min(last, newest.value)
    if (newest.value == Never || begin > end) Iterator.empty
    else {
      val found = cells.scan(Bytes.ofTime(chunkOf(begin)), Bytes.ofTime(chunkOf(end) + chunkMs)).map(timed)
      found.filter(one => one.time >= begin && one.time <= end).toArray.sortWith(_.isBefore(_)).iterator
    }
  }

  /** The batch is over: remove the chunks that are gone. */
  def expire(): Unit =
    if (gone != goneBefore) cells.removeRange(Array.emptyByteArray, Bytes.ofTime(chunkOf(gone + 1)))

  private def chunks(first: Long, last: Long): Iterator[Long] =
    Iterator.iterate(chunkOf(first))(_ + chunkMs).takeWhile(_ <= last)

  private def chunkOf(time: Long): Long = Math.floorDiv(time, chunkMs) * chunkMs

  private def place(key: Array[Byte], time: Long): Array[Byte] = {
    val place = ByteBuffer.allocate(KeyPlace + key.length + Bytes.LongBytes + (if (duplicates) Bytes.LongBytes else 0))
    place.put(Bytes.ofTime(chunkOf(time))).put(Bytes.sized(key)).put(Bytes.ofTime(time))
    if (duplicates) {
      numbers.value += 1
      place.putLong(numbers.value)
    }
    place.array
  }

  private def timed(cell: Cell): Timed = {
    val size = ByteBuffer.wrap(cell.key).getInt(Bytes.LongBytes)
    val key = java.util.Arrays.copyOfRange(cell.key, KeyPlace, KeyPlace + size)
    new Timed(key, Bytes.time(cell.key, KeyPlace + size), Stored.of(cell.value))
  }
}

object WindowStore {
  private val Never = Long.MinValue
  private val KeyPlace = Bytes.LongBytes + Integer.BYTES

  private implicit class Order(one: Timed) {
    def isBefore(other: Timed): Boolean =
      if (one.time != other.time) one.time < other.time else Bytes.compare(one.key, other.key) < 0
  }
}
