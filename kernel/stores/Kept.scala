package headrace.stores

import java.nio.ByteBuffer
import scala.collection.mutable

import headrace.model.{Bytes, BytesMap, Record}

/** A value and its time, as a store has it. */
final class Stored(val value: Array[Byte], val ts: Long) {
  def bytes: Array[Byte] = ByteBuffer.allocate(Bytes.LongBytes + value.length).putLong(ts).put(value).array
}

object Stored {
  /** Reads what `bytes` gave; null of null. */
  def of(bytes: Array[Byte]): Stored =
    if (bytes == null) null
    else new Stored(java.util.Arrays.copyOfRange(bytes, Bytes.LongBytes, bytes.length), ByteBuffer.wrap(bytes).getLong)
}

/** The rows of one table: its store, with a write-back cache for the batch, and which changes of it are sent on.
  *
  * A key is read from the state once a batch and written once, however often it changes in between. With settled changes
  * the last one of each key is sent on when the batch is over, in the order of these last changes, with the value that
  * was there before the batch as the old one. A key that was made and deleted in one batch leaves nothing. The changelog,
  * if there is one, gets these last changes whatever is sent on.
  *
  * With an expiry, a row that was not updated for long is deleted before the record that makes it so late is handled; the
  * deletion has the time when it was due.
  */
final class Kept(
    cells: Cells,
    everyChange: Boolean,
    sendsOld: Boolean,
    forward: Record => Unit,
    log: Record => Unit,
    expiry: Expiry,
    late: Record => Unit) {
  import Kept._

  private val cache = new BytesMap[Row]
  /** The key that was asked for last, and its row: who asks for it often puts it next. */
  private var asked: Array[Byte] = _
  private var answered: Row = _
  private var changes = 0L
  private var flushing = false

  if (expiry != null) expiry.start(expire)

  /** Value and time of a key, null if there is none. */
  def get(key: Array[Byte]): Stored = if (key == null) null else row(key).stored

  /** Value and time of a key by the changes that were sent on. */
  def sent(key: Array[Byte]): Stored = {
    val found = row(key)
    if (everyChange || found.turn == 0 || flushing) found.stored else found.before
  }

  /** Store the new value of the record's key, null to delete it, and send on the change.
    *
    * A record whose row would be due for deletion already is dropped as late.
    */
  def put(record: Record, value: Array[Byte], ts: Long, old: Array[Byte], latest: Boolean = true): Unit =
    if (expiry != null && value != null && expiry.isOver(ts)) late(record) else change(record, value, ts, old, latest)

  private def change(record: Record, value: Array[Byte], ts: Long, old: Array[Byte], latest: Boolean): Unit = {
    val changed = row(record.key)
    if (expiry != null) {
      if (changed.stored != null) expiry.remove(record.key, changed.stored.ts)
      if (value != null) expiry.add(record.key, ts)
    }
    if (changed.turn == 0) changed.before = changed.stored
    changes += 1
    changed.turn = changes
    changed.stored = if (value == null) null else new Stored(value, ts)
    val sent = record.change(value, if (sendsOld) old else null, ts, latest)
    if (everyChange) forward(sent)
    if (!everyChange || log != null) changed.last = sent
    if (cache.size > Spill) flush()
  }

  private def expire(key: Array[Byte], due: Long): Unit =
    change(new Record(key, null, due, null, 0, 0), null, due, row(key).stored.value, latest = true)

  /** The batch is over, or the cache full: write the changed rows. */
  def flush(): Unit = {
    flushing = true
    val changed = new mutable.ArrayBuffer[Row]
    cache.foreach(row => if (row.turn > 0) changed += row)
    changed.sortInPlaceBy(_.turn).foreach(write)
    cache.clear()
    asked = null
    flushing = false
  }

  private def write(row: Row): Unit = {
    if (row.stored != null) cells.put(row.key, row.stored.bytes) else if (row.before != null) cells.remove(row.key)
    if (row.stored != null || row.before != null) {
      if (!everyChange) {
        val old = if (sendsOld && row.before != null) row.before.value else null
        forward(row.last.change(row.last.value, old, row.last.ts, row.last.latest))
      }
      if (log != null) log(row.last)
    }
  }

  private def row(key: Array[Byte]): Row = {
    if (asked ne key) {
      asked = key
      answered = cache.get(key)
      if (answered == null) {
        answered = new Row(key, Stored.of(cells.get(key)))
        cache.put(key, answered)
      }
    }
    answered
  }
}

object Kept {
  /** So many rows are cached before they are written. */
  private val Spill = 500000

  private final class Row(val key: Array[Byte], var stored: Stored) {
    /** What was stored before the batch. */
    var before: Stored = _
    /** The last change. */
    var last: Record = _
    /** When it was changed last in this batch: 1, 2, ...; 0 if it was only read. */
    var turn = 0L
  }
}
