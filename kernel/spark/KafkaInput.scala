package org.apache.spark.sql.headrace

import java.util
import java.util.{Optional, UUID}

import headrace.kafka.{Admission, InputOffset, InputRanges, KafkaOptions, KafkaRange, KafkaReaderFactory, Readings, TopicIds}
import org.apache.spark.sql.connector.catalog.{Column, SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory, Scan, ScanBuilder}
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.kafka010.headrace.PlannedRange
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Spark's own Kafka source, but for where a batch ends, see [[Admission]], and for how it is read, see [[KafkaReader]].
  *
  * With the option `tasks` every task of that number reads the partitions that are its own, so that they need no shuffle.
  * Of the values of topics in `unread` it is only told whether there is one. With `python` functions there take records.
  */
class KafkaInput extends TableProvider {
  private val kafka =
    DataSource.lookupDataSource("kafka", SQLConf.get).getConstructor().newInstance().asInstanceOf[TableProvider]

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = kafka.inferSchema(options)

  override def getTable(schema: StructType, transforms: Array[Transform], properties: util.Map[String, String]): Table =
    new KafkaInputTable(kafka.getTable(schema, transforms, properties).asInstanceOf[Table with SupportsRead])
}

class KafkaInputTable(kafka: Table with SupportsRead) extends Table with SupportsRead {
  override def name: String = "headrace-kafka-input"
  override def columns: Array[Column] = kafka.columns
  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.MICRO_BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    () => new KafkaInputScan(kafka.newScanBuilder(options).build(), options)
}

class KafkaInputScan(kafka: Scan, options: CaseInsensitiveStringMap) extends Scan {
  override def readSchema: StructType = kafka.readSchema

  override def toMicroBatchStream(checkpoint: String): MicroBatchStream = {
    val stream = kafka.toMicroBatchStream(checkpoint).asInstanceOf[KafkaInput.Stream]
    val Seq(topics, unread) = Seq("subscribe", "unread").map(KafkaOptions.names(options, _))
    val ids = new TopicIds(KafkaOptions.properties(options))
    new KafkaInputStream(
      stream, Admission.of(options), Ticks.of(options), ids, topics, options.getInt("tasks", 0), unread.toSet)
  }
}

object KafkaInput {
  type Stream = MicroBatchStream with SupportsTriggerAvailableNow with ReportsSourceMetrics

  /** Ranges that are read by one task of Spark's, which costs some milliseconds: few records are not worth one.
    *
    * Always the same for the same ranges: a batch that is run again has the same tasks.
    */
  def gathered(ranges: Seq[KafkaRange]): Seq[Seq[KafkaRange]] =
    ranges.foldLeft(Vector.empty[Vector[KafkaRange]]) { (shares, range) =>
      if (shares.lastOption.exists(share => (share :+ range).map(cost).sum <= Worthwhile)) shares.init :+ (shares.last :+ range)
      else shares :+ Vector(range)
    }

  private def cost(range: KafkaRange): Long = math.max(range.until - range.from, Opening)

  /** So many records are worth a task. */
  private val Worthwhile = 2000L
  /** To open a partition costs as much as so many records. */
  private val Opening = 100L
}

/** @param topics those that are read, in the order they were declared
  * @param tasks  how many there are, if partitions are shared among them; 0 if each is read by itself
  */
class KafkaInputStream(
    kafka: KafkaInput.Stream,
    admission: Admission,
    ticks: Ticks,
    ids: TopicIds,
    topics: Seq[String],
    tasks: Int,
    unread: Set[String])
    extends MicroBatchStream with SupportsTriggerAvailableNow with ReportsSourceMetrics {
  private val id = UUID.randomUUID.toString

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val from = InputOffset.read(start.json)
    val latest = kafka.latestOffset(of(from), ReadLimit.allAvailable)
    val end = if (latest == null) from.offsets else admission.end(from.offsets, InputOffset.read(latest.json).offsets)
    val records = end != from.offsets
    val clock = ticks.next(from.clock, records)
    val known = if (records) ids.of(end.keySet.map(_.topic), from.topics) else from.topics
    if (latest == null && clock == from.clock) null else InputOffset(end, clock, known)
  }

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    val until = InputOffset.read(end.json)
    BatchClock.tell(until.clock)
    val ranges = kafka.planInputPartitions(of(InputOffset.read(start.json)), of(until)).toSeq.map(PlannedRange.of)
    shares(ranges).map(InputRanges(_)).toArray
  }

  /** The ranges of each task, in which topics go in the order they were declared.
    *
    * Which task has which does not depend on that order: a batch that was half written may be run again by an application
    * that declares its topics in another one, and what a task has written counts for the task of the same number.
    */
  private def shares(ranges: Seq[KafkaRange]): Seq[Seq[KafkaRange]] = {
    val byName = ranges.sortBy(range => (range.partition.topic, range.partition.partition))
    val shared =
      if (tasks == 0) KafkaInput.gathered(byName)
      else (0 until tasks).map(task => byName.filter(_.partition.partition % tasks == task))
    shared.map(_.sortBy(range => topics.indexOf(range.partition.topic)))
  }

  override def prepareForTriggerAvailableNow(): Unit = {
    ticks.onlyAtStart()
    kafka.prepareForTriggerAvailableNow()
  }

  override def stop(): Unit = {
    admission.close()
    ids.close()
    kafka.stop()
    Readings.end(id)
  }

  override def latestOffset(): Offset = kafka.latestOffset()
  override def getDefaultReadLimit: ReadLimit = ReadLimit.allAvailable
  override def reportLatestOffset(): Offset = kafka.reportLatestOffset()
  override def initialOffset(): Offset = kafka.initialOffset()
  override def deserializeOffset(json: String): Offset = InputOffset.read(json)
  override def createReaderFactory(): PartitionReaderFactory = new KafkaReaderFactory(id, unread)
  override def commit(end: Offset): Unit = ()

  override def metrics(consumed: Optional[Offset]): util.Map[String, String] =
    kafka.metrics(consumed.map(offset => of(InputOffset.read(offset.json))))

  override def toString: String = kafka.toString

  private def of(offset: InputOffset): Offset = kafka.deserializeOffset(InputOffset(offset.offsets).json)
}
