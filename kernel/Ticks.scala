package org.apache.spark.sql.headrace

import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.AccumulatorContext

/** What time it is for the next batch, on the driver.
  *
  * The time moves on with every batch that has records, at the start, and when a task is due: the clock alone makes a
  * batch then. Otherwise it stands still, and a quiet application runs no batch.
  */
final class Ticks(now: () => Long, due: () => Long) {
  private var started, atStart = false

  /** The time for the next batch, after one at `last`; the same if there is no reason for another. */
  def next(last: Long, records: Boolean): Long = {
    val time = math.max(last, now())
    val wanted = records || !started || (!atStart && time >= math.max(due(), last + Ticks.Least))
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
    case "none" => new Ticks(() => Clock.Unknown, () => Clock.Never)
    case "machine" => new Ticks(() => System.currentTimeMillis, dueOf(options.get("tally").toLong))
    case stopped => new Ticks(() => stopped.toLong, () => Clock.Never)
  }

  private def dueOf(tally: Long): () => Long =
    () => AccumulatorContext.get(tally).fold(Clock.Never)(_.asInstanceOf[Tally].due)
}
