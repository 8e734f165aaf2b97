package headrace.live

import headrace.kafka.Clients
import headrace.model.{Fault, FaultKind}
import java.time.Duration
import java.util

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer._
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** What a stream thread reads: the partitions of its tasks, in queues that are bounded. */
final class ThreadInput(options: LiveOptions, ration: Ration) extends AutoCloseable {
  import ThreadInput._

  private val consumer = new KafkaConsumer(
    Clients.properties(options.sink.kafka ++ Settings + ("group.id" -> options.app)),
    new ByteArrayDeserializer, new ByteArrayDeserializer)
  private val queues = mutable.LinkedHashMap.empty[TopicPartition, PartitionQueue]
  private val tasks = new mutable.ArrayBuffer[TaskQueue]

  /** The records of a task: of each topic the partitions with its number, and so many more. */
  def task(topics: Seq[String], number: Int): Iterator[PartitionQueue.Brought] = {
    val own = topics.flatMap { topic =>
      consumer.partitionsFor(topic).asScala.map(_.partition).filter(_ % options.tasks == number).sorted
        .map(new TopicPartition(topic, _))
    }
    val heads = own.map(one => queues.getOrElseUpdate(one, new PartitionQueue(one))).toArray
    val queue = new TaskQueue(heads, lags, options.idleMs, ration)
    tasks += queue
    new Iterator[PartitionQueue.Brought] {
      private var found: PartitionQueue.Brought = _

      override def hasNext: Boolean = {
        if (found == null) found = queue.next()
        found != null
      }

      override def next(): PartitionQueue.Brought = {
        if (!hasNext) throw new NoSuchElementException
        val record = found
        found = null
        record
      }
    }
  }

  /** Begin to read where the last commit was. */
  def begin(): Unit = {
    consumer.assign(queues.keys.toSeq.asJava)
    val committed = consumer.committed(queues.keySet.asJava)
    queues.keys.foreach { one =>
      val known = Option(committed.get(one)).map(_.offset)
      known.orElse(options.starts.get(one.topic).flatMap(_.get(one.partition)).filter(_ >= 0)) match {
        case Some(offset) => consumer.seek(one, offset)
        case None => consumer.seekToBeginning(util.List.of(one))
      }
    }
  }

  /** Fetch what is there, or wait so long for something; whether something came. */
  def poll(waitMs: Long): Boolean = {
    val brought =
      try consumer.poll(Duration.ofMillis(waitMs))
      catch { case gone: OffsetOutOfRangeException => throw lost(gone) }
    if (!brought.isEmpty) take(brought)
    !brought.isEmpty
  }

  /** Whether records wait in the queues. */
  def waits: Boolean = tasks.exists(_.waits)

  /** Whether everything was taken that is on the broker. */
  def isDone: Boolean = queues.values.forall(queue => queue.isEmpty && !lags(queue))

  /** Fetch again for queues that have room. */
  def resume(): Unit = queues.values.foreach { queue =>
    if (queue.paused && queue.hasRoom) {
      queue.paused = false
      consumer.resume(util.List.of(queue.partition))
    }
  }

  /** The first offset of each partition that was not taken. */
  def positions: Map[TopicPartition, Long] = queues.values.map(queue => queue.partition -> position(queue)).toMap

  def offsets(positions: Map[TopicPartition, Long]): util.Map[TopicPartition, OffsetAndMetadata] =
    positions.map { case (partition, offset) => partition -> new OffsetAndMetadata(offset, Metadata) }.asJava

  def commit(offsets: util.Map[TopicPartition, OffsetAndMetadata]): Unit = consumer.commitSync(offsets)

  override def close(): Unit = consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)))

  private def position(queue: PartitionQueue): Long = queue.head.getOrElse(consumer.position(queue.partition))

  private def take(brought: ConsumerRecords[Array[Byte], Array[Byte]]): Unit = brought.partitions.forEach { partition =>
    val queue = queues(partition)
    queue.add(brought.records(partition))
    if (queue.isFull) {
      queue.paused = true
      consumer.pause(util.List.of(partition))
    }
  }

  /** Before it is known, which the broker then is asked, it may. */
  private def lags(queue: PartitionQueue): Boolean = {
    val known = consumer.currentLag(queue.partition)
    !known.isPresent || known.getAsLong > 0
  }

  private def lost(gone: OffsetOutOfRangeException): Throwable = {
    val (partition, wanted) = gone.offsetOutOfRangePartitions.asScala.head
    new Fault(FaultKind.RecordsGone, partition.toString, wanted.toString, "", gone)
  }
}

object ThreadInput {
  /** Committed with each offset: it tells positions of stream threads from those that others publish. Python's client
    * reads on in its memory until a zero comes.
    */
  private val Metadata = "live\u0000"

  private val Settings = Map(
    "isolation.level" -> "read_committed",
    "auto.offset.reset" -> "none",
    "enable.auto.commit" -> "false",
    "max.poll.records" -> "2000",
    "max.partition.fetch.bytes" -> "4194304",
    "receive.buffer.bytes" -> "-1",
    "fetch.max.wait.ms" -> "500",
    "group.protocol" -> "classic")
}
