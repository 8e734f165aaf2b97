package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.connector.read.streaming.Offset

import org.apache.spark.sql.headrace.InputOffset.Places

/** Where a batch ends: its places in partitions, as Spark's Kafka source writes them, and what time it is by then.
  *
  * `{"topic":{"0":17},"headrace:clock":1700000000000}`; no topic can be called so, and without a clock there is none.
  */
case class InputOffset(places: Places, clock: Long = Clock.Unknown) extends Offset {
  override def json: String = {
    val root = InputOffset.mapper.createObjectNode
    places.toSeq.groupBy(_._1.topic).toSeq.sortBy(_._1).foreach { case (topic, partitions) =>
      val node = root.putObject(topic)
      partitions.sortBy(_._1.partition).foreach { case (partition, offset) => node.put(partition.partition.toString, offset) }
    }
    if (clock != Clock.Unknown) root.put(InputOffset.ClockName, clock)
    root.toString
  }
}

object InputOffset {
  type Places = Map[TopicPartition, Long]

  private val ClockName = "headrace:clock"
  private val mapper = new ObjectMapper

  def read(json: String): InputOffset = {
    val (clock, topics) = mapper.readTree(json).properties.asScala.toSeq.partition(_.getKey == ClockName)
    val places = topics.flatMap { topic =>
      topic.getValue.properties.asScala.map(one => new TopicPartition(topic.getKey, one.getKey.toInt) -> one.getValue.asLong)
    }
    InputOffset(places.toMap, clock.headOption.fold(Clock.Unknown)(_.getValue.asLong))
  }
}
