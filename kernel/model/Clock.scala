package headrace.model

import scala.collection.mutable

/** What time it is.
  *
  * @param now    the time of day, which stands still where the machine's clock is set back
  * @param steady the same until that clock is set: it goes on evenly, for whoever waits
  */
case class Moment(now: Long, steady: Long)

object Moment {
  val Unknown: Moment = Moment(Clock.Unknown, Clock.Unknown)
}

/** The time as a task sees it: that of its batch, which is the same when the batch is run again, or of its last commit. */
final class Clock(private var moment: Moment) {
  def now: Long = moment.now
  def steady: Long = moment.steady

  private val followers = new mutable.ArrayBuffer[Clock.Follower]

  /** It is this time from now on. */
  def move(to: Moment): Unit = moment = to

  def add(follower: Clock.Follower): Unit = followers += follower

  /** The records of the batch are done: those who wait for a time see which it is. */
  def tick(): Unit = if (moment != Moment.Unknown) followers.foreach(_.follow(steady))

  /** When somebody wants to see the next time. */
  def due: Long = followers.iterator.map(_.due).minOption.getOrElse(Clock.Never)

  def followed: Boolean = followers.nonEmpty
}

object Clock {
  val Unknown = -1L
  val Never = Long.MaxValue

  @volatile private var shiftMs = 0L

  /** The time of day of this machine, which may jump: how long something takes is measured by `System.nanoTime`. */
  def machine: Long = System.currentTimeMillis + shiftMs

  /** Have the machine's time of day be another one, by so much, as somebody does who sets the clock. */
  def shift(ms: Long): Unit = shiftMs = ms

  /** Who waits for a steady time, and when it wants to be told again. */
  trait Follower {
    def follow(now: Long): Unit

    def due: Long
  }
}
