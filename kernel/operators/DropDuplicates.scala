package headrace.operators

import headrace.model.{Bytes, Reason, Record}
import headrace.spec.NodeSpec

/** One task's share of dropping records that have come before: the times of those that were sent on, by key and id. */
class DropDuplicates(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val id = if (node.has("id")) function("id") else null
  private val within = node.long("within_ms")
  // A record that is not late asks for what is at most `within` before it, and it lies that much behind itself.
  private val sent = task.windowLists(node.stores.head, 2 * within)
  private val time = new StreamTime(task, node, () => ())

  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else {
      time.see(record.ts)
      if (record.ts <= time.ms - within) drop(Reason.Late, record)
      else {
        val known = knownBy(record)
        if (known == null) forward(record)
        else if (sent.fetch(known, record.ts - within + 1, record.ts + within - 1).hasNext) drop(Reason.Duplicate, record)
        else {
          sent.put(known, record.ts, Array.emptyByteArray)
          forward(record)
        }
      }
    }

  private def knownBy(record: Record): Array[Byte] =
    if (id == null) record.key
    else {
      val found = computed(id, record, record.value)
      if (found == null) null else Bytes.joined(Bytes.sized(record.key), found)
    }

  override def flush(): Unit = sent.flush()
}
