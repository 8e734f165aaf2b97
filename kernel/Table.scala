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

/** A table that keeps the versions of each key. */
abstract class TableOfVersions(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  protected val versions = new VersionedStore(
    task.cells(node.stores.head), task.cells(node, "turns"), task.memory, node.stores.head, node.long("history_ms"))

  override def get(key: Array[Byte]): Stored = versions.get(key)

  override def getAsOf(key: Array[Byte], ts: Long): Stored = versions.getAsOf(key, ts)

  override def flush(): Unit = versions.flush()
}

/** Keeps the versions of each key, and sends on the changes with whether they are the newest. */
class VersionedTable(node: NodeSpec, task: Task) extends TableOfVersions(node, task) {
  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else {
      val before = versions.get(record.key)
      if (!versions.put(record.key, record.value, record.ts)) drop(Reason.Late, record)
      else {
        val old = if (sendsOld && before != null) before.value else null
        forward(record.change(record.value, old, record.ts, versions.isNewest(record.key, record.ts)))
      }
    }
}

/** The rows of a table in a later stage than its own, by the changes that come there. */
class Copy(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  private val rows = task.cachedCells(node.stores.head)

  override def onRecord(record: Record): Unit = {
    if (record.latest) {
      if (record.value == null) rows.remove(record.key) else rows.put(record.key, new Stored(record.value, record.ts).bytes)
    }
    forward(record)
  }

  override def get(key: Array[Byte]): Stored = Stored.of(rows.get(key))
}

/** The same of a table that knows its rows as of earlier times. */
class VersionedCopy(node: NodeSpec, task: Task) extends TableOfVersions(node, task) {
  override def onRecord(record: Record): Unit = {
    versions.put(record.key, record.value, record.ts)
    forward(record)
  }
}
