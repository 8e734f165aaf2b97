package headrace.operators

import java.nio.ByteBuffer

import scala.collection.mutable

import headrace.model.{Reason, Record}
import headrace.spec.NodeSpec
import headrace.stores.{Stored, VersionedStore}

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
  /** Of the keys with a new version that no other is newer than, in the order of these. */
  private val newest = mutable.LinkedHashMap.empty[ByteBuffer, Record]

  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else {
      val before = versions.get(record.key)
      if (!versions.put(record.key, record.value, record.ts)) drop(Reason.Late, record)
      else {
        val latest = versions.isNewest(record.key, record.ts)
        if (latest && log != null) note(record)
        val old = if (sendsOld && before != null) before.value else null
        forward(record.change(record.value, old, record.ts, latest))
      }
    }

  override def flush(): Unit = {
    newest.values.foreach(log)
    newest.clear()
    super.flush()
  }

  private def note(record: Record): Unit = {
    val key = ByteBuffer.wrap(record.key)
    newest.remove(key)
    newest.put(key, record)
    if (newest.size >= VersionedTable.Spill) flush()
  }
}

object VersionedTable {
  /** So many keys are kept in memory. */
  private val Spill = 500000
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

/** Copy of a versioned table, with earlier versions of its rows. */
class VersionedCopy(node: NodeSpec, task: Task) extends TableOfVersions(node, task) {
  override def onRecord(record: Record): Unit = {
    versions.put(record.key, record.value, record.ts)
    forward(record)
  }
}
