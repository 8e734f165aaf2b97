package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.connector.read.streaming.Offset

import org.apache.spark.sql.headrace.InputOffset.Places

/** Where a batch ends: its places in partitions, as Spark's Kafka source writes them, the ids that the topics have, and what
  * time it is by then.
  *
  * `{"orders":{"0":17},"headrace:topics":{"orders":"Qmv0t1LhR2e8kkWyVZ8aGw"},"headrace:clock":1700000000000}`; no topic can be
  * called so, and without a clock there is none.
  */
case class InputOffset(places: Places, clock: Long = Clock.Unknown, topics: Map[String, String] = Map.empty) extends Offset {
  override def json: String = {
    val root = InputOffset.mapper.createObjectNode
    places.toSeq.groupBy(_._1.topic).toSeq.sortBy(_._1).foreach { case (topic, partitions) =>
      val node = root.putObject(topic)
      partitions.sortBy(_._1.partition).foreach { case (partition, offset) => node.put(partition.partition.toString, offset) }
    }
    if (topics.nonEmpty) {
      val ids = root.putObject(InputOffset.TopicsName)
      topics.toSeq.sorted.foreach { case (topic, id) => ids.put(topic, id) }
    }
    if (clock != Clock.Unknown) root.put(InputOffset.ClockName, clock)
    root.toString
  }
}

object InputOffset {
  type Places = Map[TopicPartition, Long]

  private val ClockName = "headrace:clock"
  private val TopicsName = "headrace:topics"
  private val mapper = new ObjectMapper

  def read(json: String): InputOffset = {
    val root = mapper.readTree(json)
    val places = root.properties.asScala.toSeq.filterNot(one => one.getKey == ClockName || one.getKey == TopicsName)
      .flatMap { topic =>
        topic.getValue.properties.asScala.map(one => new TopicPartition(topic.getKey, one.getKey.toInt) -> one.getValue.asLong)
      }
    val ids = root.path(TopicsName).properties.asScala.map(one => one.getKey -> one.getValue.asText)
    InputOffset(places.toMap, root.path(ClockName).asLong(Clock.Unknown), ids.toMap)
  }
}
