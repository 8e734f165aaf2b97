package org.apache.spark.sql.headrace

import headrace.model.{Clock, Moment}
import org.apache.spark.{SparkContext, TaskContext}

/** Time of a batch of Spark's, which its driver hands to every task. */
object BatchClock {
  private val Property = "headrace.clock"

  /** Sets the time for all tasks of the batch that is planned in this thread. */
  def tell(moment: Moment): Unit =
    SparkContext.getActive.foreach(_.setLocalProperty(Property, s"${moment.now} ${moment.steady}"))

  /** The clock of the batch that this task belongs to. */
  def here: Clock = new Clock(Option(TaskContext.get().getLocalProperty(Property)).map(_.split(' ')) match {
    case Some(Array(now, steady)) => Moment(now.toLong, steady.toLong)
    case _ => Moment.Unknown
  })
}
