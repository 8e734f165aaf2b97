package headrace.operators

import headrace.model.Clock
import headrace.spec.NodeSpec

/** The latest time of all records that an operator has seen, -1 before the first; it is remembered.
  *
  * With `idle_ms`, once so much time has passed since the last record, it goes on from where that record left it,
  * by as much as has passed since then, at every tick of the task. It never goes back.
  *
  * @param moved the operator is told when it moves without a record
  * @param next  the stream time at which something will happen, [[Clock.Never]] if nothing waits; unless an operator
  *              knows, it may be any
  */
final class StreamTime(task: Task, node: NodeSpec, moved: () => Unit, next: () => Long = null) extends Clock.Follower {
  private val idleMs = node.idleMs
  private val seen = task.memory.of(node.name, "stream time", -1)
  /** Stream time after the last record, if it may follow the clock. */
  private val stood = if (idleMs < 0) null else task.memory.of(node.name, "stream time stood", -1)
  /** The steady time of that record. */
  private val since = if (idleMs < 0) null else task.memory.of(node.name, "stream time since", 0)

  if (idleMs >= 0) task.clock.add(this)

  def ms: Long = seen.value

  /** A record has come. */
  def see(ts: Long): Unit = {
    if (ts > seen.value) seen.value = ts
    if (idleMs >= 0) {
      stood.value = seen.value
      since.value = task.clock.steady
    }
  }

  /** Advances to a time that an operator upstream has reached. */
  def reach(ms: Long): Unit = if (ms > seen.value) {
    seen.value = ms
    moved()
  }

  override def follow(now: Long): Unit =
    if (stood.value >= 0 && now - since.value >= idleMs) reach(stood.value + now - since.value)

  override def due: Long = {
    val waiting = if (stood.value < 0) Clock.Never else if (next == null) any else next()
    if (waiting == Clock.Never) Clock.Never else since.value + math.max(idleMs, waiting - stood.value)
  }

  private def any: Long = if (seen.value < stood.value + idleMs) stood.value + idleMs else seen.value + StreamTime.Pause
}

object StreamTime {
  /** Pause between looks at the clock, where nobody knows what is waited for. */
  private val Pause = 1000L
}
