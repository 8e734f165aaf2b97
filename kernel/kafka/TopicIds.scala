package headrace.kafka

import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._

import headrace.model.{Fault, FaultKind}
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException

/** The ids that topics got when they were made. One that was deleted and made again has the old name and other records. */
final class TopicIds(kafka: Map[String, String]) extends AutoCloseable {
  private var opened = false
  private lazy val admin = {
    opened = true
    Clients.admin(kafka)
  }

  /** The ids of topics as they are now, if those that were known before are the same. */
  def of(topics: Set[String], known: Map[String, String]): Map[String, String] = {
    val now = admin.describeTopics(topics.asJavaCollection).topicNameValues.asScala.map { case (topic, found) =>
      try topic -> found.get.topicId.toString
      catch {
        case gone: ExecutionException if gone.getCause.isInstanceOf[UnknownTopicOrPartitionException] =>
          throw new Fault(FaultKind.TopicMissing, topic, kafka("bootstrap.servers"), "", gone.getCause)
        case failed: ExecutionException => throw failed.getCause
      }
    }.toMap
    now.foreach { case (topic, id) =>
      if (known.getOrElse(topic, id) != id) throw new Fault(FaultKind.TopicReplaced, topic, "", "", null)
    }
    known ++ now
  }

  override def close(): Unit = if (opened) admin.close()
}
