package headrace.operators

import scala.collection.mutable

import headrace.model.{Reason, Record, SideOutput}
import headrace.spec.NodeSpec
import headrace.stores.{KeyWindows, Stored, WindowRow}

/** One task's share of an aggregation over sliding windows.
  *
  * Two windows belong to a record at t: the left one, [t - difference, t], and the right one, which begins at t + 1 and is
  * there once a later record falls into it. The time stored with a window is that of its latest record, from which follows
  * what lies in a window that has to be made.
  */
class SlidingWindowed(node: NodeSpec, task: Task) extends Windowed(node, task) {
  import SlidingWindowed._

  private val difference = node.long("difference_ms")
  /** Whether a window has taken the record at hand, and the windows that it changes. */
  private var taken = false
  private val changes = new mutable.ArrayBuffer[Change]

  override protected def chunkMs: Long = math.max(1, node.long("difference_ms"))

  override protected def spanMs: Long = difference

  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else if (record.value == null) drop(Reason.NoValue, record)
    else {
      advance(record)
      if (!open(record.ts) || !rows.keeps(record.ts - 2 * difference)) drop(Reason.Late, record)
      else {
        taken = false
        changes.clear()
        val of = rows.of(record.key)
        if (record.ts < difference) early(record, of) else regular(record, of)
        // All windows before the first is stored: a record that fails in one is in none.
        changes.foreach { one =>
          replace(record, rows.row(of, one.start, one.start), one.value, one.old, one.ts)
        }
        if (!taken) sendToSideOutput(SideOutput.Late, record)
      }
    }

  /** Add a record to the windows around it, from the latest back, and make those that are missing. */
  private def regular(record: Record, of: KeyWindows): Unit = {
    val ts = record.ts
    val nearby = rows.fetch(of, math.max(0, ts - 2 * difference), ts + 1)
    var left, right: Stored = null
    var previous = Unknown
    var hasLeft = false
    var place = nearby.length - 1
    while (place >= 0) {
      val row = nearby(place)
      val end = row.start + difference
      place -= 1
      if (row.start <= ts) {
        if (end > ts) {
          if (right == null) right = row.stored
          update(record, row.start, row.stored)
        } else if (end == ts) {
          hasLeft = true
          update(record, row.start, row.stored)
          if (row.stored.ts >= ts) return // a record of this very time was here before: all of its windows are made
          previous = row.stored.ts
        } else {
          left = row.stored
          previous = row.stored.ts
          place = -1
        }
      }
    }
    if (previous != Unknown && !has(nearby, previous + 1) && previous + 1 + difference >= ts) {
      update(record, previous + 1, empty(record))
    }
    if (!hasLeft) {
      val reaches = left != null && ts - difference <= previous
      update(record, ts - difference, if (reaches) new Stored(left.value, ts) else empty(record))
    }
    makeRight(record, right, nearby)
  }

  /** Add a record of the first `difference` ms of 1970: the left windows of all those are the one from 0 on. */
  private def early(record: Record, of: KeyWindows): Unit = {
    val ts = record.ts
    val nearby = rows.fetch(of, 0, ts + 1)
    var first, right: Stored = null
    var previous = Unknown
    nearby.foreach { row =>
      if (row.start == 0) {
        first = row.stored
        if (row.stored.ts < ts) previous = row.stored.ts
      } else if (row.start <= ts) {
        right = row.stored
        update(record, row.start, row.stored)
      }
    }
    // Nothing lies before the record: all that the window holds comes after it.
    if (right == null && first != null && first.ts > ts) right = first
    makeRight(record, right, nearby)
    if (previous != Unknown && !has(nearby, previous + 1)) update(record, previous + 1, empty(record))
    update(record, 0, if (first == null) empty(record) else first)
  }

  /** Make the window after the record, if it is missing and what the latest window holds lies in it. */
  private def makeRight(record: Record, right: Stored, nearby: Array[WindowRow]): Unit =
    if (right != null && right.ts > record.ts && !has(nearby, record.ts + 1)) {
      changes += new Change(record.ts + 1, right.value, null, right.ts)
    }

  /** Add a record to a window that begins at `start` and has held `stored` so far, unless it is over. */
  private def update(record: Record, start: Long, stored: Stored): Unit =
    if (!open(start)) task.drops.add(node.name, Reason.Late) // of this window, another may take it
    else {
      taken = true
      val ts = if (stored.value == null) record.ts else math.max(record.ts, stored.ts)
      changes += new Change(start, fold.add(record, stored.value), stored.value, ts)
    }

  private def empty(record: Record): Stored = new Stored(fold.initial(record), record.ts)

  private def has(nearby: Array[WindowRow], start: Long): Boolean = nearby.exists(_.start == start)
}

object SlidingWindowed {
  /** No record lies before. */
  private val Unknown = Long.MinValue

  /** Change of a window by a record. */
  private final class Change(val start: Long, val value: Array[Byte], val old: Array[Byte], val ts: Long)
}
