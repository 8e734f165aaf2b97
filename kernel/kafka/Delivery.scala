package headrace.kafka

import java.time.Duration
import java.util.Collections
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import headrace.model.{Fault, FaultKind}
import org.apache.kafka.clients.admin.{Admin, ListConsumerGroupOffsetsOptions}
import org.apache.kafka.clients.consumer.{ConsumerGroupMetadata, OffsetAndMetadata}
import org.apache.kafka.clients.producer.{Callback, KafkaProducer, ProducerRecord}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{InvalidProducerEpochException, InvalidTxnStateException, ProducerFencedException, TimeoutException, TransactionalIdAuthorizationException}

/** Delivery of the records of one task of the sink to the broker, in one batch. */
trait Delivery {
  type Written = ProducerRecord[Array[Byte], Array[Byte]]

  /** Whether all of it is there already, from an earlier try. */
  def isDone: Boolean

  def send(record: Written, acknowledged: Callback): Unit

  /** All records are on the broker when this returns, and those who read committed ones see them. */
  def commit(): Unit

  /** Fault of a transaction that the broker has given up, for it took too long. */
  def overdue(failed: Throwable): Option[Throwable] = None

  /** Nobody is to see them. */
  def abort(): Unit

  def close(): Unit
}

/** Records are sent as they come, and once more with each try. */
final class AtLeastOnce(options: SinkOptions) extends Delivery {
  private val producer = Producers.take(options)
  private var begun = false

  override def isDone: Boolean = false
  override def send(record: Written, acknowledged: Callback): Unit = {
    begun = true
    producer.kafka.send(record, acknowledged)
  }
  override def commit(): Unit = if (begun) producer.kafka.flush()
  override def abort(): Unit = ()
  override def close(): Unit = Producers.giveBack(options, producer)
}

/** Records are one transaction, and the number of the batch is written in it: a batch that is there is not written again.
  *
  * Where an answer does not come, nobody knows whether the transaction was committed. Its producer is not used again: the
  * next one waits until the broker knows, and reads the number of the last batch that is there.
  *
  * @param task  the number of the task in the sink
  * @param batch the batch, of a query that its checkpoint names
  */
final class ExactlyOnce(options: SinkOptions, task: Int, batch: Token) extends Delivery {
  private val producer = TaskProducers.take(options, task)
  private var begun, ended = false
  private var beganNanos = 0L

  override val isDone: Boolean =
    try producer.has(batch)
    catch {
      case behind: Fault =>
        TaskProducers.giveBack(options, task, producer)
        throw behind
    }

  override def send(record: Written, acknowledged: Callback): Unit = unlessUnclear {
    if (!begun) {
      producer.kafka.beginTransaction()
      beganNanos = System.nanoTime
      begun = true
    }
    producer.kafka.send(record, acknowledged)
  }

  /** Commits the transaction, if there is one: where nothing was written, nothing can be seen twice. */
  override def commit(): Unit = {
    if (begun) unlessUnclear(producer.commit(batch))
    ended = true
  }

  /** A producer that was taken over gets the same answers: then its transaction has not been open for as long. */
  override def overdue(failed: Throwable): Option[Throwable] = {
    val openMs = NANOSECONDS.toMillis(System.nanoTime - beganNanos)
    val isOverdue = begun && openMs >= producer.timeoutMs && ExactlyOnce.isGivenUp(failed)
    Option.when(isOverdue)(new Fault(FaultKind.BatchTooLong, openMs.toString, producer.timeoutMs.toString, "", failed).untried)
  }

  override def abort(): Unit = if (begun && !ended) {
    ended = true
    try producer.kafka.abortTransaction()
    catch { case NonFatal(_) => forget() }
  }

  override def close(): Unit = {
    if (begun && !ended) forget()
    TaskProducers.giveBack(options, task, producer)
  }

  /** Aborts at once what was not allowed: the open transaction would hold up readers. */
  private def unlessUnclear[A](talk: => A): A =
    try talk
    catch {
      case denied: Fault => throw denied
      case failed: Throwable =>
        forget()
        throw failed
    }

  private def forget(): Unit = {
    ended = true
    TaskProducers.forget(options, task, producer)
  }
}

object ExactlyOnce {
  /** Whether the broker says that the transaction is not its producer's any more. */
  private def isGivenUp(failed: Throwable): Boolean = Fault.causes(failed).exists {
    case _: ProducerFencedException | _: InvalidProducerEpochException | _: InvalidTxnStateException => true
    case _ => false
  }
}

/** A batch of a query, as it is written in a transaction. */
case class Token(query: String, batch: Long) {
  /** Whether a batch is a later one of the same query: another query has its own numbers. */
  def isAfter(other: Token): Boolean = query == other.query && batch > other.batch

  override def toString: String = s"$query $batch"
}

object Token {
  def read(text: String): Option[Token] = text.split(' ') match {
    case Array(query, batch) => batch.toLongOption.map(Token(query, _))
    case _ => None
  }

  /** Batches noted under a name, without those that a transaction still holds back. */
  def of(admin: Admin, name: String): Seq[Token] = {
    val stable = new ListConsumerGroupOffsetsOptions().requireStable(true)
    val offsets = admin.listConsumerGroupOffsets(name, stable).partitionsToOffsetAndMetadata.get.asScala.values
    offsets.filter(_ != null).flatMap(one => read(one.metadata)).toSeq
  }
}

/** The producer of one task of the sink, which stays from batch to batch.
  *
  * It has a name that no other has: when it is made, the broker lets nobody else write under it any more.
  */
final class TaskProducer(options: SinkOptions, task: Int) extends Lent {
  private val name = s"${options.app}-sink-$task"
  private val home = new TopicPartition(options.home, 0)
  private val properties = TaskProducer.defaults ++ options.kafka

  /** Time for which a transaction may be open. */
  val timeoutMs: Long = properties(TaskProducer.Timeout).toLong

  val kafka: KafkaProducer[Array[Byte], Array[Byte]] =
    SharedProducer.open(properties + ("transactional.id" -> name))

  /** The batches that are there. */
  private var there: Seq[Token] =
    try {
      kafka.initTransactions()
      read()
    } catch {
      case failed: Throwable =>
        close()
        throw denial(failed)
    }

  /** Whether a batch is there. If a later one is, whoever asks goes on from an old state, and what it would write from
    * now on is not what is there.
    */
  def has(batch: Token): Boolean = {
    there.find(_.isAfter(batch)).foreach { later =>
      throw new Fault(FaultKind.BatchBehind, name, later.batch.toString, batch.batch.toString, null)
    }
    there.contains(batch)
  }

  def commit(batch: Token): Unit = {
    val offsets = Collections.singletonMap(home, new OffsetAndMetadata(batch.batch, batch.toString))
    try {
      kafka.sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata(name))
      kafka.commitTransaction()
    } catch { case failed: Throwable => throw denial(failed) }
    there = Seq(batch)
  }

  /** The token is written for a topic that is read. */
  private def denial(failed: Throwable): Throwable = Fault.ofDenial(failed, ("Read", home.topic), name)

  /** Wait for nothing: what is open is resolved by the next producer of this name. */
  override def close(): Unit = kafka.close(Duration.ZERO)

  /** Batches noted in all topics that were its home. */
  private def read(): Seq[Token] = Clients.asked(options.kafka)(Token.of(_, name))
}

object TaskProducer {
  private val Timeout = "transaction.timeout.ms"

  /** As long as brokers allow unless they are told otherwise: a transaction is open for as long as its batch runs. */
  private val defaults = Map(Timeout -> "900000")
}

/** The producers of this executor's sink tasks. */
object TaskProducers {
  /** A task of a query that has failed may still be at work when the next try of its batch begins. */
  private val lending = new Lending[(SinkOptions, Int), TaskProducer](
    { case (options, task) => new TaskProducer(options, task) }, alone = true)

  def take(options: SinkOptions, task: Int): TaskProducer = lending.take((options, task))

  def giveBack(options: SinkOptions, task: Int, producer: TaskProducer): Unit = lending.giveBack((options, task), producer)

  /** Forgets a producer whose transaction is unclear, or whose name somebody else has now. */
  def forget(options: SinkOptions, task: Int, producer: TaskProducer): Unit = lending.forget((options, task), producer)

  /** Have the broker give up what is open under these names, of which those of this executor are not used any more; the
    * tokens that are there then, or null if something is still open.
    *
    * Who may not write under a name has nothing open there.
    */
  def fence(kafka: java.util.Map[String, String], names: java.util.List[String]): java.util.List[String] = {
    sweep(0)
    val properties = kafka.asScala.toMap
    try Clients.asked(properties)(_.fenceProducers(names).all.get)
    catch { case _: TransactionalIdAuthorizationException => () }
    try Clients.asked(properties)(admin => names.asScala.flatMap(Token.of(admin, _)).map(_.toString).asJava)
    catch { case _: TimeoutException => null }
  }

  def sweep(idleMs: Long): Unit = lending.sweep(idleMs)

  def count: Int = lending.count

  def close(): Unit = lending.close()
}
