package org.apache.spark.sql.kafka010.headrace

import java.util

import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition

/** The records of a partition from one place up to another, and how to reach them. */
case class KafkaRange(partition: TopicPartition, from: Long, until: Long, consumer: util.Map[String, Object], location: Option[String])

object KafkaRange {
  /** What Spark's Kafka source planned. */
  def of(planned: InputPartition): KafkaRange = {
    val KafkaBatchInputPartition(range, consumer, _, _, _) = planned.asInstanceOf[KafkaBatchInputPartition]
    KafkaRange(range.topicPartition, range.fromOffset, range.untilOffset, consumer, range.preferredLoc)
  }
}
