package org.apache.spark.sql.headrace

/** One task's share of a node. */
abstract class Operator(val node: NodeSpec, task: Task) {
  def onRecord(record: Envelope): Unit

  /** The batch is over: write what the store cached, send on what was held back. */
  def flush(): Unit

  protected def forward(key: Array[Byte], value: Array[Byte], ts: Long, headers: Array[Byte]): Unit =
    if (node.output >= 0) task.forward(Envelope(0, node.output, key, value, ts, 0, 0, null, headers))
}

object Operator {
  def apply(node: NodeSpec, store: Store, task: Task): Operator = node.op match {
    case "count" => new Count(node, store, task)
    case other => throw new IllegalArgumentException(s"the kernel has no operator '$other'")
  }
}
