package org.apache.spark.sql.headrace

/** Keeps the last value of each key, and sends on the changes: a topic or a stream as a table. */
class Table(node: NodeSpec, task: Task) extends KeptTable(node, task) {
  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else {
      val before = rows.get(record.key)
      rows.put(record, record.value, record.ts, if (before == null) null else before.value)
    }
}
