package org.apache.spark.sql.kafka010.headrace

import headrace.kafka.KafkaRange
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition

/** Range of records as Spark's Kafka source planned it.
  *
  * It lives in this package because the connector shows it to nobody else.
  */
object PlannedRange {
  def of(planned: InputPartition): KafkaRange = {
    val KafkaBatchInputPartition(range, consumer, _, _, _) = planned.asInstanceOf[KafkaBatchInputPartition]
    KafkaRange(range.topicPartition, range.fromOffset, range.untilOffset, consumer, range.preferredLoc)
  }
}
