package headrace.kafka

import java.util

import org.apache.kafka.common.TopicPartition

/** The records of a partition from one place up to another, and how to reach them. */
case class KafkaRange(partition: TopicPartition, from: Long, until: Long, consumer: util.Map[String, Object], location: Option[String])
