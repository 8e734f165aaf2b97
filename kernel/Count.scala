package org.apache.spark.sql.headrace

/** One task's share of a count. */
class Count(node: NodeSpec, store: Store, task: Task) extends Operator(node, task) {

  override def onRecord(record: Envelope): Unit =
    if (record.key != null && record.value != null) {
      val entry = store.get(record.key)
      val counted = if (entry.exists) Count.read(entry.value) + 1 else 1L
      store.put(entry, Count.write(counted), ts = math.max(record.ts, entry.ts), record.headers)
      if (node.everyChange) forward(entry.key, entry.value, entry.ts, entry.headers)
    }

  override def flush(): Unit = store.flush { entry =>
    if (!node.everyChange) forward(entry.key, entry.value, entry.ts, entry.headers)
  }
}

/** Counts in the bytes of `INT64`. */
object Count {
  def read(bytes: Array[Byte]): Long = java.nio.ByteBuffer.wrap(bytes).getLong

  def write(counted: Long): Array[Byte] = java.nio.ByteBuffer.allocate(8).putLong(counted).array
}
