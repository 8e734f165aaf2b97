package org.apache.spark.sql.headrace

/** The latest time of all records that an operator has seen, -1 before the first; it is remembered. */
final class StreamTime(task: Task, node: NodeSpec, moved: () => Unit) {
  private val seen = task.memory.of(node.name, "stream time", -1)

  def ms: Long = seen.value

  /** A record has come. */
  def see(ts: Long): Unit = if (ts > seen.value) seen.value = ts

  /** It is this time at least, for an operator in front says so. */
  def reach(ms: Long): Unit = if (ms > seen.value) {
    seen.value = ms
    moved()
  }
}
