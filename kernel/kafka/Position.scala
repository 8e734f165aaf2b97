package headrace.kafka

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import headrace.model.QueueBits
import org.apache.spark.sql.catalyst.expressions.{Literal, Murmur3Hash}

/** Position of a record in Kafka, as topic-partition@offset. */
object Position {
  import QueueBits._

  /** The topics by their places, of JSON. */
  def topics(json: String): Map[Long, String] =
    new ObjectMapper().readTree(json).properties.asScala.map(one => one.getKey.toLong -> one.getValue.asText).toMap

  /** The offset of a record that comes of none that was read: a timer has made it. */
  val Nowhere = -1L

  /** The topic-partition@offset of a record; null if it was read nowhere. */
  def text(options: SinkOptions, topics: Map[Long, String], source: Long, offset: Long): String = if (offset == Nowhere) null else {
    val name = topics.getOrElse(source >> Place, "?") match {
      case s"/$pattern/" => topic(options, pattern, source)
      case known => known
    }
    s"$name-${source & Partitions}@$offset"
  }

  /** Topic of a pattern that a record was read from.
    *
    * Where that cannot be told it is no name of a topic: all that have the same number, with bars between them, or the
    * pattern between slashes if none has it any more.
    */
  def topic(options: SinkOptions, pattern: String, source: Long): String =
    Producers.topics(options, pattern, (source >> Topic) & Numbers) match {
      case Nil => s"/$pattern/"
      case names => names.mkString("|")
    }

  /** Number by which topics of one pattern are told apart, as `QueueNumbers.of_record` of the planner has it. */
  def number(topic: String): Long = new Murmur3Hash(Seq(Literal(topic))).eval().asInstanceOf[Int] & Numbers
}
