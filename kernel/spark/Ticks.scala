package org.apache.spark.sql.headrace

import java.util.concurrent.TimeUnit.NANOSECONDS

import headrace.model.{Clock, Moment}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Ticks of the driver: the time of the next batch.
  *
  * The time moves on with every batch that has records, at the start, and when a task is due: the clock alone makes a
  * batch then. Otherwise it stands still, and a quiet application runs no batch.
  *
  * @param after what time it is, behind a batch at another one
  * @param due   the steady time at which a task is due
  */
final class Ticks(after: Moment => Moment, due: () => Long) {
  private var started, atStart = false

  /** The time for the next batch, after one at `last`; the same if there is no reason for another. */
  def next(last: Moment, records: Boolean): Moment = {
    val time = after(last)
    val wanted = records || !started || (!atStart && time.steady >= math.max(due(), last.steady + Ticks.Least))
    if (wanted) started = true
    if (wanted) time else last
  }

  /** A run that ends by itself waits for no time to come. */
  def onlyAtStart(): Unit = atStart = true
}

object Ticks {
  /** Ticks that follow one another faster tell nobody more. */
  private val Least = 100L

  /** `clock` says whose time it is: nobody's if nothing waits for one, the machine's, or a time at which it stands. */
  def of(options: CaseInsensitiveStringMap): Ticks = options.getOrDefault("clock", "none") match {
    case "none" => new Ticks(identity, () => Clock.Never)
    case "machine" =>
      val time = new MachineTime(() => Clock.machine, () => System.nanoTime)
      new Ticks(time.after, dueOf(options.get("tally").toLong))
    case stopped => new Ticks(last => moment(math.max(last.now, stopped.toLong)), () => Clock.Never)
  }

  private def moment(time: Long): Moment = Moment(time, time)

  private def dueOf(tally: Long): () => Long =
    () => BatchTally.known(tally).fold(Clock.Never)(_.due)
}

/** The time of this machine in one run: its time of day may be set, forward or back, and the steady one is not.
  *
  * Between two runs nobody has measured how much time has passed: it is what the time of day says.
  */
final class MachineTime(day: () => Long, nanos: () => Long) {
  private var begun = Option.empty[(Long, Long)]

  def after(last: Moment): Moment = {
    val now = math.max(last.now, day())
    if (begun.isEmpty) begun = Some((last.steady + now - last.now, nanos()))
    val (steady, since) = begun.get
    Moment(now, math.max(last.steady, steady + NANOSECONDS.toMillis(nanos() - since)))
  }
}
