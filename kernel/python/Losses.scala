package headrace.python

import scala.collection.mutable

/** Lost workers of this process, with the records that they had, by task and batch.
  *
  * Spark runs a task again whose worker is gone. The records of the chunk that it had are then taken one by one, to find
  * the one that it did not survive. Once may have been for a reason outside: only one that was lost twice while it was
  * alone is refused the next time, as if a function had failed on it.
  *
  * A task has few tries. What is known lasts for as long as the application runs, so that the query which is begun when
  * they were not enough goes on with the search.
  */
object Losses {
  /** A task in one of its batches.
    *
    * @param app the number of its application's tally, which stays when a query is begun again
    */
  case class Place(app: Long, stage: Int, group: Int, batch: Long)

  /** Records from one place in the batch up to another, why the worker was lost, and how often with one of them alone. */
  case class Suspects(from: Long, until: Long, why: String, trace: String, alone: Int = 0) {
    /** Whether it is one that is to be refused. */
    def known: Boolean = alone >= Enough
  }

  private val Enough = 2
  private val Most = 1000
  private val suspects = mutable.LinkedHashMap.empty[Place, Seq[Suspects]]

  /** Suspect records of a task, in order. */
  def of(place: Place): Seq[Suspects] = synchronized(suspects.getOrElse(place, Nil))

  /** A worker was lost with these. It had survived those before them, and has not seen those behind them. */
  def note(place: Place, lost: Suspects): Unit = synchronized {
    val (same, others) = of(place).partition(one => one.from == lost.from && one.until == lost.until)
    val (known, open) = others.partition(_.known)
    val behind = open.filter(_.until > lost.until).map(one => one.copy(from = math.max(one.from, lost.until)))
    val alone = if (lost.until - lost.from > 1) 0 else same.map(_.alone).sum + 1
    suspects(place) = (known ++ behind :+ lost.copy(alone = alone)).sortBy(_.from)
    if (suspects.size > Most) suspects -= suspects.head._1
  }
}
