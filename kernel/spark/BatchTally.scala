package org.apache.spark.sql.headrace

import scala.collection.mutable

import com.fasterxml.jackson.databind.ObjectMapper
import headrace.model.{Clock, Tally}
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution
import org.apache.spark.util.{AccumulatorContext, AccumulatorV2}

/** What was counted in a batch: of which kind, where and why, and by which partition. */
case class Counted(batch: Long, kind: String, place: String, reason: String, partition: Int)

/** Brings what tasks count to the driver, batch by batch.
  *
  * A partition that Spark runs again counts the same again: its number takes the place of the first.
  */
final class BatchTally extends AccumulatorV2[(Counted, Long), Map[Counted, Long]] with Tally {
  private val counts = mutable.Map.empty[Counted, Long]

  override def count(kind: String, place: String, reason: String, by: Long): Unit = StreamThread.orNull match {
    case null => countInBatch(kind, place, reason, by)
    case thread => thread.count(kind, place, reason, by)
  }

  private def countInBatch(kind: String, place: String, reason: String, by: Long): Unit = {
    val task = TaskContext.get()
    val batch = task.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY).toLong
    add(Counted(batch, kind, place, reason, task.partitionId()) -> by)
  }

  override def due(stage: String, ms: Long): Unit =
    merge(Map(Counted(BatchTally.Always, Tally.Due, stage, "", TaskContext.getPartitionId()) -> ms))

  /** When the first of all tasks wants to see it. */
  def due: Long = value.collect { case (Counted(_, Tally.Due, _, _, _), ms) => ms }.minOption.getOrElse(Clock.Never)

  /** Everything that was counted up to a batch, as JSON: lists of kind, place, reason, number. It is then forgotten. */
  def take(batch: Long): String = synchronized {
    val taken = counts.filter { case (one, _) => one.batch <= batch && one.kind != Tally.Due }
    counts --= taken.keys
    val rows = new ObjectMapper().createArrayNode
    taken.groupMapReduce { case (one, _) => (one.kind, one.place, one.reason) }(_._2)(_ + _).foreach {
      case ((kind, place, reason), number) => rows.addArray.add(kind).add(place).add(reason).add(number)
    }
    rows.toString
  }

  override def isZero: Boolean = synchronized(counts.isEmpty)
  override def reset(): Unit = synchronized(counts.clear())
  override def value: Map[Counted, Long] = synchronized(counts.toMap)

  override def copy(): BatchTally = {
    val copied = new BatchTally
    copied.counts ++= value
    copied
  }

  override def add(counted: (Counted, Long)): Unit =
    synchronized(counts.updateWith(counted._1)(before => Some(before.getOrElse(0L) + counted._2)))

  override def merge(other: AccumulatorV2[(Counted, Long), Map[Counted, Long]]): Unit = merge(other.value)

  private def merge(others: Map[Counted, Long]): Unit = synchronized(counts ++= others)
}

object BatchTally {
  private val Always = -1L

  private val tallies = new java.util.WeakHashMap[SparkSession, BatchTally]

  /** The tally of an application, which has a session of its own. */
  def of(spark: SparkSession): BatchTally = synchronized(tallies.computeIfAbsent(spark, session => {
    val tally = new BatchTally
    session.sparkContext.register(tally)
    tally
  }))

  /** The tally with this number, on the driver. */
  def known(id: Long): Option[BatchTally] = AccumulatorContext.get(id).map(_.asInstanceOf[BatchTally])
}
