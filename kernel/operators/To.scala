package headrace.operators

import headrace.model.Record
import headrace.spec.{NodeSpec, Out}

/** Writes every record to its topic, with its own timestamp and headers, and those of its serdes: where it is read what fails at that.
  *
  * Elsewhere it is done without a stage, see `Native.to` in `spark/compile/native.py`.
  */
class To(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val key = function("key")
  private val value = function("value")
  private val topic = if (node.has("topic")) function("topic") else null
  private val partitions = if (node.has("partitions")) new ChosenPartitions(this, function("partitions")) else null
  private val headers = if (node.has("headers")) function("headers") else null
  private val out = node.ways.head.asInstanceOf[Out]

  override def onRecord(record: Record): Unit = {
    task.computes.value(record.value)
    val named = if (topic == null) null else topic.bytes(record)
    val bytes = record.change(value.bytes(record), null, record.ts).withKey(key.bytes(record))
    val written = if (headers == null) bytes else bytes.withHeaders(headers.bytes(record))
    if (partitions == null) task.leave(out, written, named)
    else {
      task.computes.sides(named, null)
      partitions.of(record).foreach(partition => task.leave(out, written.withOld(partition), named))
    }
  }
}
