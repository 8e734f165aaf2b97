package headrace.kafka

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import headrace.model.{Clock, Moment}
import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.connector.read.streaming.Offset

import headrace.kafka.InputOffset.Offsets

/** End of a batch: its offsets in partitions, as Spark's Kafka source writes them, the ids that the topics have, and what
  * time it is by then.
  *
  * `{"orders":{"0":17},"headrace:topics":{"orders":"Qmv0t1LhR2e8kkWyVZ8aGw"},"headrace:clock":1700000000000,
  * "headrace:steady":1700000000000}`; no topic can be called so, and without a clock there is none.
  */
case class InputOffset(offsets: Offsets, clock: Moment = Moment.Unknown, topics: Map[String, String] = Map.empty) extends Offset {
  override def json: String = {
    val root = InputOffset.mapper.createObjectNode
    offsets.toSeq.groupBy(_._1.topic).toSeq.sortBy(_._1).foreach { case (topic, partitions) =>
      val node = root.putObject(topic)
      partitions.sortBy(_._1.partition).foreach { case (partition, offset) => node.put(partition.partition.toString, offset) }
    }
    if (topics.nonEmpty) {
      val ids = root.putObject(InputOffset.TopicsName)
      topics.toSeq.sorted.foreach { case (topic, id) => ids.put(topic, id) }
    }
    if (clock != Moment.Unknown) root.put(InputOffset.ClockName, clock.now).put(InputOffset.SteadyName, clock.steady)
    root.toString
  }
}

object InputOffset {
  type Offsets = Map[TopicPartition, Long]

  private val ClockName = "headrace:clock"
  private val SteadyName = "headrace:steady"
  private val TopicsName = "headrace:topics"
  private val Ours = Set(ClockName, SteadyName, TopicsName)
  private val mapper = new ObjectMapper

  def read(json: String): InputOffset = {
    val root = mapper.readTree(json)
    val offsets = root.properties.asScala.toSeq.filterNot(one => Ours(one.getKey))
      .flatMap { topic =>
        topic.getValue.properties.asScala.map(one => new TopicPartition(topic.getKey, one.getKey.toInt) -> one.getValue.asLong)
      }
    val ids = root.path(TopicsName).properties.asScala.map(one => one.getKey -> one.getValue.asText)
    val now = root.path(ClockName).asLong(Clock.Unknown)
    InputOffset(offsets.toMap, Moment(now, root.path(SteadyName).asLong(now)), ids.toMap)
  }
}
