package org.apache.spark.sql.headrace

import scala.collection.mutable

/** What the workers of this process were at when they were lost, by task and batch.
  *
  * Spark runs a task again whose worker is gone. The records of the chunk that it had are then taken one by one, to find
  * the one that it did not survive; that one is refused the next time, as if a function had failed on it.
  */
object Losses {
  /** Records from one place in the batch up to another, and why the worker was lost; one alone is to be refused. */
  case class Suspects(from: Long, until: Long, why: String, trace: String) {
    def known: Boolean = until - from == 1
  }

  private val Most = 1000
  private val suspects = mutable.LinkedHashMap.empty[(String, Long), Seq[Suspects]]

  /** What to be careful with in a batch, in order. */
  def of(task: String, batch: Long): Seq[Suspects] = synchronized(suspects.getOrElse((task, batch), Nil))

  def note(task: String, batch: Long, found: Suspects): Unit = synchronized {
    val others = of(task, batch).filter(one => one.until <= found.from || one.from >= found.until)
    suspects((task, batch)) = (others :+ found).sortBy(_.from)
    if (suspects.size > Most) suspects -= suspects.head._1
  }
}
