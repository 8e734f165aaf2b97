package org.apache.spark.sql.headrace

import scala.collection.mutable

import org.apache.spark.{SparkContext, TaskContext}

/** The time of day as a task sees it: that of its batch, which is the same when the batch is run again. */
final class Clock(val now: Long) {
  private val followers = new mutable.ArrayBuffer[Clock.Follower]

  def add(follower: Clock.Follower): Unit = followers += follower

  /** The records of the batch are done: those who wait for a time of day see which it is. */
  def tick(): Unit = if (now != Clock.Unknown) followers.foreach(_.follow(now))

  /** When somebody wants to see the next time. */
  def due: Long = followers.iterator.map(_.due).minOption.getOrElse(Clock.Never)

  def followed: Boolean = followers.nonEmpty
}

object Clock {
  val Unknown = -1L
  val Never = Long.MaxValue

  private val Property = "headrace.clock"

  /** Who waits for a time of day, and when it wants to be told again. */
  trait Follower {
    def follow(now: Long): Unit

    def due: Long
  }

  /** It is this time for all tasks of the batch that is planned in this thread. */
  def tell(now: Long): Unit = SparkContext.getActive.foreach(_.setLocalProperty(Property, now.toString))

  /** The clock of the batch that this task belongs to. */
  def here: Clock = new Clock(Option(TaskContext.get().getLocalProperty(Property)).fold(Unknown)(_.toLong))
}
