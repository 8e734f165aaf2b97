package headrace.kafka

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Options of the source and of the sink, as Spark hands them on. */
object KafkaOptions {
  /** The properties of Kafka clients among the options. */
  def properties(options: CaseInsensitiveStringMap): Map[String, String] =
    options.asCaseSensitiveMap.asScala.collect { case (s"kafka.$name", value) => name -> value }.toMap

  /** The names in an option, which has commas between them. */
  def names(options: CaseInsensitiveStringMap, option: String): Seq[String] =
    options.getOrDefault(option, "").split(',').filter(_.nonEmpty).toSeq
}
