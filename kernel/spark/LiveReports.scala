package org.apache.spark.sql.headrace

import headrace.live.LiveCounts
import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.kafka.common.TopicPartition
import org.apache.spark.rpc.{RpcCallContext, RpcEnv, ThreadSafeRpcEndpoint}

/** What a stream thread tells the driver after each commit.
  *
  * @param positions the first offset of each of its partitions that is not committed; none before it has begun
  * @param counts    by kind, place and reason
  */
case class LiveReport(thread: Int, positions: Map[TopicPartition, Long], counts: Map[(String, String, String), Long])

/** Hears on the driver what stream threads tell, and tells them whether to go on; `topics` are those of the sources. */
final class LiveReports(override val rpcEnv: RpcEnv, topics: Set[String]) extends ThreadSafeRpcEndpoint {
  private val counts = new LiveCounts
  private var known = Map.empty[TopicPartition, Long]
  private var fresh = 0L
  @volatile private var goesOn = true

  override def receiveAndReply(context: RpcCallContext): PartialFunction[Any, Unit] = {
    case LiveReport(_, positions, told) =>
      synchronized {
        known ++= positions
        told.foreach { case ((kind, place, reason), by) => counts.add(kind, place, reason, by) }
        if (told.nonEmpty) fresh += 1
      }
      context.reply(goesOn)
  }

  /** Have all threads end, each behind a commit. */
  def end(): Unit = goesOn = false

  /** Up to where each partition is done. */
  def positions: Map[TopicPartition, Long] = synchronized(known)

  /** Whether something was counted that `take` has not told. */
  def hasNews: Boolean = synchronized(fresh > 0)

  /** What was counted since the last call, and up to where the topics are done, as JSON. */
  def take(): String = synchronized {
    val told = new ObjectMapper().createObjectNode
    val rows = told.putArray("counts")
    counts.take().foreach { case ((kind, place, reason), by) => rows.addArray.add(kind).add(place).add(reason).add(by) }
    val places = told.putObject("positions")
    known.filter(one => topics(one._1.topic)).groupBy(_._1.topic).foreach { case (topic, partitions) =>
      val offsets = places.putObject(topic)
      partitions.foreach { case (partition, offset) => offsets.put(partition.partition.toString, offset) }
    }
    told.put("commits", fresh)
    fresh = 0
    told.toString
  }
}
