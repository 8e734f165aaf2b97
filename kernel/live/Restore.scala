package headrace.live

import headrace.kafka.Clients
import headrace.stores.Cell
import java.time.Duration

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.{CloseOptions, KafkaConsumer}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Brings the states of a thread's tasks to where the last commit left them: by their changelog, from where each is. */
final class Restore(options: LiveOptions, stores: Map[Int, LocalStore], counts: LiveCounts, tell: () => Unit) {
  import Restore._

  private val partitions = stores.map { case (task, store) => new TopicPartition(options.changelog, task) -> store }

  def run(): Unit = {
    val consumer = new KafkaConsumer(
      Clients.properties(options.sink.kafka ++ Settings), new ByteArrayDeserializer, new ByteArrayDeserializer)
    try restore(consumer)
    finally consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)))
  }

  private def restore(consumer: KafkaConsumer[Array[Byte], Array[Byte]]): Unit = {
    consumer.assign(partitions.keys.toSeq.asJava)
    val (first, ends) = (consumer.beginningOffsets(partitions.keySet.asJava), consumer.endOffsets(partitions.keySet.asJava))
    partitions.foreach { case (partition, store) =>
      // A changelog that was made anew is shorter than what the store has of the one before.
      if (store.position > ends.get(partition)) store.clear()
      consumer.seek(partition, math.max(store.position, first.get(partition)))
    }
    val left = mutable.Set.from(partitions.keys)
    left.filterInPlace(one => consumer.position(one) < ends.get(one))
    while (left.nonEmpty) {
      val brought = consumer.poll(Duration.ofMillis(PollMs))
      brought.partitions.forEach { partition =>
        val records = brought.records(partition)
        val cells = records.asScala.iterator.map(record => new Cell(record.key, record.value))
        partitions(partition).write(cells, consumer.position(partition))
        counts.add(Restored, "", "", records.size)
      }
      left.filterInPlace(one => consumer.position(one) < ends.get(one))
      tell()
    }
    partitions.foreach { case (partition, store) => store.write(Iterator.empty, math.max(store.position, ends.get(partition))) }
  }
}

object Restore {
  /** How many cells were read from the changelog. */
  val Restored = "restored"

  private val PollMs = 100L

  private val Settings = Map(
    "isolation.level" -> "read_committed",
    "auto.offset.reset" -> "earliest",
    "enable.auto.commit" -> "false",
    "max.poll.records" -> "20000",
    "max.partition.fetch.bytes" -> "16777216",
    "fetch.max.bytes" -> "67108864",
    "receive.buffer.bytes" -> "-1")
}
