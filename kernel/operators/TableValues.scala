package headrace.operators

import headrace.model.Record
import headrace.spec.NodeSpec
import headrace.stores.{Kept, Stored}

/** Computes each row from the row of the same key upstream, and keeps it if a store was asked for. */
abstract class RowByRow(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  protected val rows: Kept = node.stores.headOption.map(kept).orNull

  /** The value of a row whose value upstream is not null. */
  protected def row(record: Record, value: Array[Byte]): Array[Byte]

  /** Whether a change is sent on. */
  protected def isNews(record: Record, value: Array[Byte], old: Array[Byte]): Boolean = true

  override def onRecord(record: Record): Unit = {
    val value = if (record.value == null) null else attempted(record)(row(record, record.value))
    val before = if (rows == null) null else rows.get(record.key)
    val old =
      if (rows != null) { if (before == null) null else before.value }
      else if (sendsOld && record.old != null) rowAgain(record, record.old)
      else null
    if (isNews(record, value, old)) {
      if (rows != null) rows.put(record, value, record.ts, old, record.latest)
      else forward(record.change(value, old, record.ts, record.latest))
    }
  }

  override def get(key: Array[Byte]): Stored = if (rows == null) rowOf(key, table(0).get(key)) else rows.get(key)

  override def sent(key: Array[Byte]): Stored = if (rows == null) rowOf(key, table(0).sent(key)) else rows.sent(key)

  override def getAsOf(key: Array[Byte], ts: Long): Stored =
    if (rows == null) rowOf(key, table(0).getAsOf(key, ts)) else rows.get(key)

  private def rowOf(key: Array[Byte], upstream: Stored): Stored =
    if (upstream == null) null
    else {
      val value = rowAgain(new Record(key, null, upstream.ts, null, 0, 0), upstream.value)
      if (value == null) null else new Stored(value, upstream.ts)
    }

  /** A row that was computed before, when it was new. */
  protected def rowAgain(record: Record, value: Array[Byte]): Array[Byte] = attempted(record, again = true)(row(record, value))

  override def flush(): Unit = if (rows != null) rows.flush()
}

/** Keeps the rows whose predicate is true; null is not. */
class TableFilter(node: NodeSpec, task: Task) extends RowByRow(node, task) {
  private val predicate = function("predicate")
  private val keep = node.flag("keep")
  private val knowsOld = node.flag("wants_old") || sendsOld
  private val versioned = node.flag("versioned")

  override protected def row(record: Record, value: Array[Byte]): Array[Byte] = {
    task.computes.value(value)
    if (predicate.test(record) == keep) value else null
  }

  override protected def isNews(record: Record, value: Array[Byte], old: Array[Byte]): Boolean =
    if (value != null || !knowsOld || versioned) true
    // If nobody behind wants old values, this one was not computed yet.
    else if (!sendsOld && rows == null) record.old != null && rowAgain(record, record.old) != null
    else old != null
}

/** Gives every row a new value. */
class TableMapValues(node: NodeSpec, task: Task) extends RowByRow(node, task) {
  private val value = function("value")

  override protected def row(record: Record, from: Array[Byte]): Array[Byte] = computed(value, record, from)
}
