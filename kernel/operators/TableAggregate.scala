package headrace.operators

import java.util.Arrays

import headrace.functions.Compute
import headrace.model.{Reason, Record}
import headrace.spec.NodeSpec

/** Sends each change of a row to the groups that the row leaves and enters. */
class TableGroupBy(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val pair = function("pair")
  private val versioned = node.flag("versioned")

  override def onRecord(record: Record): Unit =
    if (!record.latest && versioned) drop(Reason.Older, record)
    else {
      val (oldKey, oldValue) = grouped(record, record.old)
      val (newKey, newValue) = grouped(record, record.value)
      if (newKey == null && record.value != null) task.drops.add(node.name, Reason.NoKey)
      if (oldKey != null && newKey != null && Arrays.equals(oldKey, newKey)) send(record, oldKey, newValue, oldValue)
      else {
        if (oldKey != null) send(record, oldKey, null, oldValue)
        if (newKey != null) send(record, newKey, newValue, null)
      }
    }

  private def send(record: Record, key: Array[Byte], value: Array[Byte], old: Array[Byte]): Unit =
    forward(record.changeOf(key, value, old, record.ts))

  /** The key and the value in the groups; none if one of them is null. */
  private def grouped(record: Record, value: Array[Byte]): (Array[Byte], Array[Byte]) =
    if (value == null) TableGroupBy.Nothing
    else {
      task.computes.value(value)
      val parts = pair.parts(record, 2).next()
      if (parts.anyNull) TableGroupBy.Nothing else (parts.getBinary(0), parts.getBinary(1))
    }
}

object TableGroupBy {
  private val Nothing: (Array[Byte], Array[Byte]) = (null, null)
}

/** Takes the old value of a row out of the value of its group, then puts the new one in. */
abstract class TableFold(node: NodeSpec, task: Task) extends KeptTable(node, task) {
  private val adder = function("adder")
  private val subtractor = function("subtractor")

  /** The value of a group with its first row. */
  protected def begun(record: Record, value: Array[Byte]): Array[Byte]

  override def onRecord(record: Record): Unit = {
    val before = rows.get(record.key)
    var value = if (before == null) null else before.value
    if (record.old != null && before != null) value = folded(subtractor, record, record.old, value)
    if (record.value != null)
      value = if (value == null) begun(record, record.value) else added(record, record.value, value)
    val ts = if (before == null) record.ts else math.max(record.ts, before.ts)
    rows.put(record, value, ts, if (before == null) null else before.value)
  }

  protected def added(record: Record, value: Array[Byte], aggregate: Array[Byte]): Array[Byte] =
    folded(adder, record, value, aggregate)

  private def folded(function: Compute, record: Record, value: Array[Byte], aggregate: Array[Byte]): Array[Byte] = {
    task.computes.aggregate(aggregate)
    computed(function, record, value)
  }
}

/** One task's share of a reduce of a table. */
class TableReduce(node: NodeSpec, task: Task) extends TableFold(node, task) {
  override protected def begun(record: Record, value: Array[Byte]): Array[Byte] = value
}

/** One task's share of an aggregate of a table. */
class TableAggregate(node: NodeSpec, task: Task) extends TableFold(node, task) {
  private val initial = function("initial")

  override protected def begun(record: Record, value: Array[Byte]): Array[Byte] =
    added(record, value, initial.bytes(record))
}
