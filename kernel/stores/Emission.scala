package headrace.stores

import java.util.{ArrayList, Comparator}

import headrace.model.Record

/** A row of a table whose changes may be held back until the batch is over. */
abstract class Emitted {
  /** The key, in the bytes it travels in. */
  def key: Array[Byte]

  /** Value and time that are stored now; null if there are none. */
  var stored: Stored = _

  /** Value and time before the first change that is held back. */
  private[headrace] var before: Stored = _
  /** Turn of the last change: 1, 2, ...; 0 if none is held back. */
  private[headrace] var turn = 0L
  /** The time of that change, and what it has of the record that caused it. */
  private[headrace] var ts, source, offset = 0L
  private[headrace] var headers: Array[Byte] = _
  /** Whether the store has forgotten it since, which no change tells of. */
  private[headrace] var isForgotten = false
}

/** Sends on every change of a table as it happens, or at the end of a batch the last one of each key, or with `silent`
  * none.
  *
  * Keys leave in the order of their last changes. A key that was made and deleted in one batch was never there for those
  * who read settled changes: it leaves nothing. The changelog, if there is one, gets the last changes whatever is sent on.
  */
final class Emission(
    everyChange: Boolean, sendsOld: Boolean, forward: Record => Unit, log: Record => Unit, silent: Boolean = false) {
  private val settles = !everyChange && !silent
  private val holds = settles || log != null
  private val held = new ArrayList[Emitted]
  private var changes = 0L

  /** A row has a new value; `old` is the old value of the change if every one is sent, `before` what was stored. */
  def changed(row: Emitted, record: Record, value: Array[Byte], old: Array[Byte], ts: Long, before: Stored): Unit = {
    if (everyChange && !silent) forward(record.changeOf(row.key, value, if (sendsOld) old else null, ts))
    if (holds) {
      if (row.turn == 0) {
        row.before = before
        held.add(row)
      }
      if (value == null && row.before == null) row.turn = 0 else hold(row, record, ts)
    }
  }

  /** Whether there is a changelog. */
  def isLogged: Boolean = log != null

  /** The store has forgotten a key that had a value of this time: it is gone from the changelog, too. */
  def forget(key: Array[Byte], ts: Long): Unit = log(new Record(key, null, ts, null, 0, 0))

  /** Value of a row by the changes that were sent on, while this is stored. */
  def sent(row: Emitted, stored: Stored): Stored = if (!settles || row == null || row.turn == 0) stored else row.before

  /** The batch is over. */
  def flush(): Unit = {
    val rows = held.stream.filter(_.turn > 0).distinct.sorted(Emission.byTurn).toArray(new Array[Emitted](_))
    held.clear()
    rows.foreach(_.turn = 0)
    rows.foreach(send)
  }

  private def hold(row: Emitted, record: Record, ts: Long): Unit = {
    changes += 1
    row.turn = changes
    row.ts = ts
    row.headers = record.headers
    row.source = record.source
    row.offset = record.offset
  }

  private def send(row: Emitted): Unit = {
    val value = if (row.stored == null) null else row.stored.value
    val old = if (sendsOld && row.before != null) row.before.value else null
    row.before = null
    val sent = new Record(row.key, value, row.ts, row.headers, row.source, row.offset, old)
    if (settles) forward(sent)
    if (isLogged && !row.isForgotten) log(sent)
  }
}

object Emission {
  private val byTurn: Comparator[Emitted] = (x, y) => java.lang.Long.compare(x.turn, y.turn)
}
