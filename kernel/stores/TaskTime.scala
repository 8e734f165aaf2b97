package headrace.stores

import scala.collection.mutable

/** Stream time of the tasks of one sub-topology, which is remembered: the latest time of all records taken, -1 before. */
final class TaskTime(memory: Memory, name: String) {
  private val taken = memory.of(name, "stream time of the task", -1)
  private val before = new mutable.ArrayBuffer[(Long, Long) => Unit]

  def ms: Long = taken.value

  /** Call whenever the time moves, with what it was and what it is, before the record that moves it is handled. */
  def add(call: (Long, Long) => Unit): Unit = before += call

  /** A record is taken. */
  def see(ts: Long): Unit = if (ts > taken.value) {
    val since = taken.value
    taken.value = ts
    before.foreach(_(since, ts))
  }
}
