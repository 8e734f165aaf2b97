package org.apache.spark.sql.headrace

/** Joins each record of the stream with the row of its key. */
class StreamTableJoin(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val joiner = function("joiner")
  private val keepAll = node.flag("keep_all")

  override def way(position: Int): Way = if (position == 0) onRecord(_) else Operator.silent

  override def onRecord(record: Record): Unit =
    if (record.value == null) drop(Reason.NoValue, record)
    else if (record.key == null && !keepAll) drop(Reason.NoKey, record)
    else {
      val row = if (record.key == null) null else upstream(1).asInstanceOf[TableOperator].getAsOf(record.key, record.ts)
      if (row != null || keepAll) {
        task.computes.sides(record.value, if (row == null) null else row.value)
        forward(record.withValue(joiner.bytes(record)))
      }
    }
}
