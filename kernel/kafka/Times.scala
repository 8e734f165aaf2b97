package headrace.kafka

import java.time.Duration

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import headrace.kafka.InputOffset.Offsets
import org.apache.kafka.clients.admin.{ListOffsetsOptions, OffsetSpec}
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.{IsolationLevel, TopicPartition}
import org.apache.kafka.common.errors.InterruptException
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Offsets of partitions by time. */
trait Times extends AutoCloseable {
  /** First offset of each partition at a time or later; none where there is no such record. */
  def firsts(partitions: Set[TopicPartition], ms: Long): Offsets

  /** The latest time of all records in the partitions. */
  def latest(partitions: Set[TopicPartition]): Long

  /** The times of the records at these offsets, as far as they come soon. */
  def at(offsets: Offsets): Offsets
}

/** Asks the broker, which keeps an index of times. */
final class BrokerTimes(kafka: Map[String, String]) extends Times {
  import BrokerTimes._

  private var opened = List.empty[AutoCloseable]
  private lazy val admin = open(Clients.admin(kafka))
  private lazy val consumer = open(
    new KafkaConsumer(Clients.properties(kafka ++ oneByOne), new ByteArrayDeserializer, new ByteArrayDeserializer))

  override def firsts(partitions: Set[TopicPartition], ms: Long): Offsets =
    list(partitions, OffsetSpec.forTimestamp(ms))
      .collect { case (partition, found) if found.offset >= 0 => partition -> found.offset }

  override def latest(partitions: Set[TopicPartition]): Long =
    list(partitions, OffsetSpec.maxTimestamp).values.map(_.timestamp).max

  override def at(offsets: Offsets): Offsets = try {
    val found = mutable.Map.empty[TopicPartition, Long]
    val until = System.nanoTime + Patience.toNanos
    while (found.size < offsets.size && System.nanoTime < until) {
      val rest = offsets -- found.keys
      consumer.assign(rest.keySet.asJava)
      rest.foreach { case (partition, offset) => consumer.seek(partition, offset) }
      val records = consumer.poll(Duration.ofMillis(Poll))
      records.partitions.forEach(partition => found(partition) = records.records(partition).get(0).timestamp)
    }
    found.toMap
  } catch { case interrupted: InterruptException => throw new InterruptedException(interrupted.getMessage) }

  override def close(): Unit = opened.foreach(_.close())

  private def open[T <: AutoCloseable](client: T): T = {
    opened = client :: opened
    client
  }

  private def list(partitions: Set[TopicPartition], spec: OffsetSpec): Map[TopicPartition, ListOffsetsResultInfo] = {
    val wanted = partitions.map(_ -> spec).toMap.asJava
    Clients.plainly(admin.listOffsets(wanted, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all.get.asScala.toMap)
  }
}

object BrokerTimes {
  private val Patience = Duration.ofSeconds(2)
  private val Poll = 100L
  private val oneByOne =
    Map("isolation.level" -> "read_committed", "max.partition.fetch.bytes" -> "1", "enable.auto.commit" -> "false")
}
