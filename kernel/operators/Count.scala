package headrace.operators

import headrace.model.{Reason, Record}
import headrace.spec.NodeSpec

/** One task's share of a count. */
class Count(node: NodeSpec, task: Task) extends KeptTable(node, task) {
  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else if (record.value == null) drop(Reason.NoValue, record)
    else {
      val before = rows.get(record.key)
      if (before == null) rows.put(record, Count.One, record.ts, Count.Zero)
      else rows.put(record, Count.next(before.value), math.max(record.ts, before.ts), before.value)
    }
}

/** Counts in the bytes of `INT64`. */
object Count {
  val Zero: Array[Byte] = write(0)
  val One: Array[Byte] = write(1)

  def next(counted: Array[Byte]): Array[Byte] = write(read(counted) + 1)

  def read(bytes: Array[Byte]): Long = java.nio.ByteBuffer.wrap(bytes).getLong

  def write(counted: Long): Array[Byte] = java.nio.ByteBuffer.allocate(8).putLong(counted).array
}
