package org.apache.spark.sql.headrace

import java.util

import scala.collection.mutable

import headrace.kafka.{AtLeastOnce, DeadLetters, Delivery, ExactlyOnce, Producers, SinkOptions, Token, TopicLimits}
import headrace.model.{Fault, FaultKind, Groups, Reason, Refusal, Tally}
import org.apache.kafka.clients.producer.{Callback, ProducerRecord}
import org.apache.kafka.common.errors._
import org.apache.kafka.common.header.internals.RecordHeader
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/** Writes rows (topic, key, value, ts, headers, partition) to Kafka, with their own timestamps; see [[Delivery]].
  * Without a partition it is the producer's choice; with -1 - n it is the one of the key without its last n bytes.
  *
  * Spark's own Kafka sink gives every record the time it was written.
  */
class KafkaSink extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType
  override def supportsExternalMetadata: Boolean = true

  override def getTable(schema: StructType, transforms: Array[Transform], properties: util.Map[String, String]): Table =
    new KafkaSinkTable(schema)
}

class KafkaSinkTable(override val schema: StructType) extends Table with SupportsWrite {
  override def name: String = "headrace-kafka-sink"

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.STREAMING_WRITE, TableCapability.ACCEPT_ANY_SCHEMA)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = new Write {
      override def toStreaming: StreamingWrite = {
        val tally = BatchTally.known(info.options.get("tally").toLong).get
        new KafkaSinkWrite(SinkOptions.of(info.options), info.queryId, tally)
      }
    }
  }
}

class KafkaSinkWrite(options: SinkOptions, query: String, tally: Tally) extends StreamingWrite {
  /** A batch begins. One that Spark has given up on must not: its tasks would go on writing, see `Kernel.finish`. */
  override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory = {
    if (Thread.interrupted()) throw new InterruptedException
    new KafkaSinkWriterFactory(options, query, tally)
  }

  override def useCommitCoordinator(): Boolean = true
  override def commit(batch: Long, messages: Array[WriterCommitMessage]): Unit = ()
  override def abort(batch: Long, messages: Array[WriterCommitMessage]): Unit = ()
}

class KafkaSinkWriterFactory(options: SinkOptions, query: String, tally: Tally) extends StreamingDataWriterFactory {
  override def createWriter(partition: Int, task: Long, batch: Long): DataWriter[InternalRow] = {
    val delivery = if (options.app == null) new AtLeastOnce(options) else new ExactlyOnce(options, partition, Token(query, batch))
    new KafkaSinkWriter(options, delivery, tally)
  }
}

/** Writes the rows of one partition; they are on the broker when `commit` returns. */
class KafkaSinkWriter(options: SinkOptions, delivery: Delivery, tally: Tally) extends DataWriter[InternalRow] {
  import KafkaSinkWriter._

  private val goesOn = options.onError != "fail"
  @volatile private var failure: (String, Exception) = _
  private val targets = mutable.Map.empty[String, Target]
  /** The topic of the last record, which is that of most: its name is read and looked up once. */
  private var named = UTF8String.EMPTY_UTF8
  private var target: Target = _
  /** How many rows went to changelogs: they are no output. */
  private var logged = 0L
  private var letters = 0L

  override def write(row: InternalRow): Unit = if (!delivery.isDone) {
    failIfFailed()
    if (target == null || row.getUTF8String(Topic) != named) turnTo(row.getUTF8String(Topic).clone())
    if (target.isLetters) sendLetter(DeadLetters.letter(options, target.topic, row.getLong(Ts), bytes(row, Value)))
    else {
      val record = of(row)
      val refusal = if (goesOn && !target.isChangelog) target.refusal(record) else null
      if (refusal != null) refuse(record, refusal)
      else {
        send(target, record)
        if (target.isChangelog) logged += 1
      }
    }
  } else count(row.getUTF8String(Topic).toString)

  /** What an earlier try of this batch has written counts, too. */
  private def count(topic: String): Unit =
    if (options.changelogs(topic)) logged += 1
    else if (options.letters(topic)) letters += 1

  private def of(row: InternalRow): TopicLimits.Written = {
    val key = bytes(row, Key)
    val record = new ProducerRecord(target.topic, partition(row, key), Long.box(row.getLong(Ts)), key, bytes(row, Value))
    addHeaders(record, row)
    record
  }

  private def partition(row: InternalRow, key: Array[Byte]): Integer =
    if (row.isNullAt(Partition)) null
    else if (row.getInt(Partition) >= 0) Int.box(row.getInt(Partition))
    else if (key == null) null
    else Int.box(Groups.bucket(util.Arrays.copyOf(key, key.length + 1 + row.getInt(Partition)), target.partitions))

  private def refuse(record: TopicLimits.Written, refusal: Refusal): Unit = {
    val answer = if (options.handler == null) options.onError else options.handler.answer(record, refusal)
    if (answer == "fail") throw target.fault(refusal)
    tally.count(Tally.Drop, record.topic, Reason.Refused.toString, 1)
    if (answer == "dead_letter")
      sendLetter(DeadLetters.refused(options.refused, record, refusal.error, refusal.getMessage))
    else tally.count(Tally.Unwritten, record.topic, "", 1) // Spark takes every row for written
  }

  private def sendLetter(letter: TopicLimits.Written): Unit = {
    val target = targetOf(letter.topic)
    send(target, DeadLetters.fitted(letter, target.limits))
    letters += 1
  }

  private def send(target: Target, record: TopicLimits.Written): Unit =
    try delivery.send(record, target.acknowledged)
    catch { case exception: Exception => throw refused(target.topic, exception) }

  private def turnTo(name: UTF8String): Unit = {
    target = targetOf(name.toString)
    named = name
  }

  private def targetOf(topic: String): Target = targets.getOrElseUpdate(topic, new Target(topic))

  /** A topic that is written to in this batch. */
  private final class Target(val topic: String) {
    val isLetters: Boolean = options.letters(topic)
    val isChangelog: Boolean = options.changelogs(topic)

    /** Why it takes nothing, if the application goes on then. */
    private val closed: Fault =
      try {
        Producers.check(options, topic)
        null
      } catch { case fault: Fault if goesOn && !isChangelog => fault }

    lazy val partitions: Int = if (closed != null) 1 else Producers.partitions(options, topic)
    lazy val limits: TopicLimits = Producers.limits(options, topic)

    val acknowledged: Callback = (_, exception) => if (exception != null && failure == null) failure = (topic, exception)

    def refusal(record: TopicLimits.Written): Refusal =
      if (closed != null) refusalOf(closed) else Option(limits.refusal(record)).map(new Refusal(_, "RecordRefused")).orNull

    /** What to fail with if a record that was refused is to stop the application. */
    def fault(refusal: Refusal): Fault =
      if (closed != null) closed else new Fault(FaultKind.Unwritable, topic, refusal.getMessage, "", refusal)
  }

  override def commit(): WriterCommitMessage = {
    try delivery.commit()
    catch { case failed: Exception => throw delivery.overdue(failed).getOrElse(failed) }
    finally failIfFailed()
    if (logged > 0) tally.count(Tally.Logged, "", "", logged)
    if (letters > 0) tally.count(Tally.Letter, "", "", letters)
    logged = 0
    letters = 0
    Written
  }

  override def abort(): Unit = delivery.abort()
  override def close(): Unit = delivery.close()

  private def failIfFailed(): Unit = if (failure != null) throw refused(failure._1, failure._2)

  private def refused(topic: String, exception: Exception): Throwable =
    delivery.overdue(exception).getOrElse(unwritten(topic, exception))

  private def unwritten(topic: String, exception: Exception): Throwable = exception match {
    case lost: RetriableException => lost // it was retried for long: the broker is away, the record is not to blame
    case other @ (_: ProducerFencedException | _: InvalidProducerEpochException) => other
    case other => Fault.ofDenial(other, ("Write", topic), s"${options.app}-sink-") match {
      case denied: Fault => denied
      case _ => new Fault(FaultKind.Unwritable, topic, reason(other), "", other)
    }
  }
}

object KafkaSinkWriter {
  private val Topic = 0
  private val Key = 1
  private val Value = 2
  private val Ts = 3
  private val Headers = 4
  private val Partition = 5

  case object Written extends WriterCommitMessage

  /** Why a record was refused, with the setting that it met. */
  private def reason(refusal: Exception): String = {
    val told = Option(refusal.getMessage).getOrElse(refusal.toString)
    refusal match {
      case _: RecordTooLargeException if !told.contains("configuration") => s"$told (max.message.bytes of the topic)"
      case _: InvalidTimestampException => s"$told (message.timestamp.before.max.ms and .after.max.ms of the topic)"
      case _ => told
    }
  }

  private def refusalOf(fault: Fault): Refusal =
    if (fault.kind == FaultKind.TopicMissing) new Refusal(s"there is no topic '${fault.subject}'", "TopicMissing")
    else new Refusal(fault.reason, "RecordRefused")

  private def bytes(row: InternalRow, field: Int): Array[Byte] = if (row.isNullAt(field)) null else row.getBinary(field)

  private def addHeaders(record: ProducerRecord[Array[Byte], Array[Byte]], row: InternalRow): Unit =
    if (!row.isNullAt(Headers)) {
      val headers = row.getArray(Headers)
      var i = 0
      while (i < headers.numElements()) {
        val header = headers.getStruct(i, 2)
        record.headers.add(new RecordHeader(header.getUTF8String(0).toString, bytes(header, 1)))
        i += 1
      }
    }
}
