package headrace.kafka

import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}

/** Resource that tasks borrow, closed when none has done so for long. */
abstract class Lent {
  /** Number of tasks that use it now, and when the last one stopped to. */
  private[headrace] var users = 0
  private[headrace] var usedNanos = 0L

  def close(): Unit
}

/** Resources that the tasks of this executor borrow, by key.
  *
  * An executor does not know when a query has ended, and may live on in a session that was there before it.
  *
  * @param alone whether it is for one task at a time: who comes second takes it over, with one that is new
  */
final class Lending[K, L <: Lent](make: K => L, alone: Boolean = false) {
  private val lent = new ConcurrentHashMap[K, L]
  private lazy val sweeper = Executors.newSingleThreadScheduledExecutor(Lending.daemon(_)).scheduleWithFixedDelay(
    () => sweep(Lending.IdleMs), Lending.IdleMs, Lending.IdleMs, TimeUnit.MILLISECONDS)

  /** Takes a resource for a task, which gives it back. */
  def take(key: K): L = {
    sweeper // starts with the first
    lent.compute(key, (_, known) => {
      val taken = known != null && alone && known.users > 0
      if (taken) known.close()
      val one = if (known == null || taken) make(key) else known
      one.users += 1
      one
    })
  }

  def giveBack(key: K, one: L): Unit = lent.computeIfPresent(key, (_, known) => {
    if (known eq one) {
      one.users -= 1
      one.usedNanos = System.nanoTime
    }
    known
  })

  def using[A](key: K)(ask: L => A): A = {
    val one = take(key)
    try ask(one)
    finally giveBack(key, one)
  }

  /** Closes a resource that is of no use any more: the next task gets another one. */
  def forget(key: K, one: L): Unit = {
    lent.remove(key, one)
    one.close()
  }

  /** Let go of those that nobody has used for so long. */
  def sweep(idleMs: Long): Unit = lent.keySet.forEach(key =>
    lent.computeIfPresent(key, (_, one) => {
      val idle = one.users == 0 && TimeUnit.NANOSECONDS.toMillis(System.nanoTime - one.usedNanos) >= idleMs
      if (idle) one.close()
      if (idle) null.asInstanceOf[L] else one
    }))

  def count: Int = lent.size

  /** No query runs any more: let go of the broker. */
  def close(): Unit = {
    lent.values.forEach(_.close())
    lent.clear()
  }
}

object Lending {
  private val IdleMs = 300000L

  private def daemon(work: Runnable): Thread = {
    val thread = new Thread(work, "headrace-lending")
    thread.setDaemon(true)
    thread
  }
}
