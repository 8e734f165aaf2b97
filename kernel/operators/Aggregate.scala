package headrace.operators

import headrace.model.{Reason, Record}
import headrace.spec.NodeSpec

/** Makes a new value of each record and the value that its key has so far. */
abstract class Folded(node: NodeSpec, task: Task) extends KeptTable(node, task) {
  /** The value of a key that has none yet; as in Kafka Streams, it is also the old value of the first change. */
  protected def begun(record: Record): Array[Byte]

  /** The new value of a key. */
  protected def folded(record: Record, aggregate: Array[Byte], position: Int): Array[Byte]

  override def way(position: Int): Way = on(position, _)

  override def onRecord(record: Record): Unit = on(0, record)

  private def on(position: Int, record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else if (record.value == null) drop(Reason.NoValue, record)
    else {
      val before = rows.get(record.key)
      val old = if (before == null) begun(record) else before.value
      val value = folded(record, old, position)
      rows.put(record, value, if (before == null) record.ts else math.max(record.ts, before.ts), old)
    }
}

/** One task's share of a reduce. */
class Reduce(node: NodeSpec, task: Task) extends Folded(node, task) {
  private val reducer = function("reducer")

  override protected def begun(record: Record): Array[Byte] = null

  override protected def folded(record: Record, aggregate: Array[Byte], position: Int): Array[Byte] =
    if (aggregate == null) record.value
    else {
      task.computes.aggregate(aggregate)
      computed(reducer, record, record.value)
    }
}

/** One task's share of an aggregate. */
class Aggregate(node: NodeSpec, task: Task) extends Folded(node, task) {
  private val aggregator = function("aggregator")
  private val initial = function("initial")

  override protected def begun(record: Record): Array[Byte] = initial.bytes(record)

  override protected def folded(record: Record, aggregate: Array[Byte], position: Int): Array[Byte] = {
    task.computes.aggregate(aggregate)
    computed(aggregator, record, record.value)
  }
}

/** One task's share of a cogroup. */
class Cogroup(node: NodeSpec, task: Task) extends Folded(node, task) {
  private val aggregators = node.functions("aggregators").map(task.computes(_))
  private val initial = function("initial")

  override protected def begun(record: Record): Array[Byte] = initial.bytes(record)

  override protected def folded(record: Record, aggregate: Array[Byte], position: Int): Array[Byte] = {
    task.computes.aggregate(aggregate)
    computed(aggregators(position), record, record.value)
  }
}
