package headrace.live

import headrace.kafka.{Delivery, SharedProducer}
import headrace.model.Fault
import java.time.Duration
import java.util

import org.apache.kafka.clients.consumer.{ConsumerGroupMetadata, OffsetAndMetadata}
import org.apache.kafka.clients.producer.{Callback, KafkaProducer, ProducerRecord}
import org.apache.kafka.common.TopicPartition

/** What a stream thread writes: records, the changes of its state, and how far it has read.
  *
  * With exactly once all of it is one transaction for each interval. With at least once records are seen as soon as they
  * are written; state and positions are one transaction all the same, so that the state is exact.
  */
final class ThreadOutput(options: LiveOptions, thread: Int) extends Delivery {
  import ThreadOutput._

  private val transactional = if (!options.transactional) null else {
    val made = open(Map("transactional.id" -> options.transactionalId(thread), "transaction.timeout.ms" -> TimeoutMs))
    try made.initTransactions()
    catch { case failed: Throwable => made.close(Duration.ZERO); throw denial(failed) }
    made
  }
  private val plain = if (options.once) null else open(Map.empty)
  private val group = new ConsumerGroupMetadata(options.app)
  @volatile private var failure: (String, Exception) = _
  private var begun = false

  override def isDone: Boolean = false

  override def send(record: Written, acknowledged: Callback): Unit =
    if (plain != null) plain.send(record, acknowledged) else sendInTransaction(record, acknowledged)

  /** A record for other tasks of this application. */
  def pass(record: Written): Unit = send(record, acknowledging(record))

  /** A change of the state, and who is to know where it is. */
  def log(record: Written, told: Long => Unit): Unit = sendInTransaction(record, (metadata, failed) =>
    if (failed != null) fail(record.topic, failed) else told(metadata.offset))

  /** How many partitions a topic has. */
  def partitions(topic: String): Int = (if (plain != null) plain else transactional).partitionsFor(topic).size

  /** Everything that was sent is there, and read up to these offsets. */
  def commit(offsets: util.Map[TopicPartition, OffsetAndMetadata], alone: util.Map[TopicPartition, OffsetAndMetadata] => Unit): Unit = {
    if (plain != null) plain.flush()
    failIfFailed()
    if (transactional == null) alone(offsets)
    else try {
      begin()
      transactional.sendOffsetsToTransaction(offsets, group)
      transactional.commitTransaction()
    } catch { case failed: Throwable => throw denial(failed) }
    begun = false
    failIfFailed()
  }

  /** What a writer of the sink calls at the end of an interval, before all is committed. */
  override def commit(): Unit = ()
  override def abort(): Unit = ()

  /** Wait for nothing: what is open is given up by the next producer of this name. */
  override def close(): Unit = Seq(plain, transactional).foreach(one => if (one != null) one.close(Duration.ZERO))

  private def sendInTransaction(record: Written, acknowledged: Callback): Unit = {
    begin()
    transactional.send(record, acknowledged)
  }

  private def begin(): Unit = if (!begun) {
    transactional.beginTransaction()
    begun = true
  }

  private def acknowledging(record: Written): Callback = (_, failed) => if (failed != null) fail(record.topic, failed)

  private def fail(topic: String, failed: Exception): Unit = if (failure == null) failure = (topic, failed)

  private def failIfFailed(): Unit = if (failure != null)
    throw Fault.ofDenial(failure._2, ("Write", failure._1), options.transactionalId(thread))

  private def denial(failed: Throwable): Throwable =
    Fault.ofDenial(failed, ("Read", options.app), options.transactionalId(thread))

  private def open(more: Map[String, String]): KafkaProducer[Array[Byte], Array[Byte]] =
    SharedProducer.open(Prompt ++ options.sink.kafka ++ more)
}

object ThreadOutput {
  /** Records are sent at once: under load batches form by themselves while others are under way. */
  private val Prompt = Map("linger.ms" -> "0", "batch.size" -> "131072", "buffer.memory" -> "67108864")

  /** So long a thread may be silent in the middle of an interval. */
  private val TimeoutMs = "60000"
}
