package headrace.kafka

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.unsafe.types.UTF8String

/** Ranges that one task reads in a batch; at equal times the first range goes first. */
case class InputRanges(ranges: Seq[KafkaRange]) extends InputPartition {
  override def preferredLocations: Array[String] = ranges.flatMap(_.location).distinct.toArray
}

/** @param stream the input of a query, whose consumers stay from batch to batch
  * @param unread the topics of whose values nobody wants to know more than whether there is one
  */
class KafkaReaderFactory(stream: String, unread: Set[String]) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new KafkaReader(partition.asInstanceOf[InputRanges].ranges.map { range =>
      Readings.borrow(stream, range, unread(range.partition.topic))
    })
}

/** Rows as Spark's Kafka source has them, of a consumer's records as they are: nothing is copied.
  *
  * Spark's own reader asks the broker for the ends of a partition at every poll, and copies every record into a row.
  *
  * Of several partitions the one is next whose head has the smallest time, as a task takes them, see [[Turn]].
  */
final class KafkaReader(readings: Seq[Reading]) extends PartitionReader[InternalRow] {
  private val row = new KafkaRow
  private val waiting = readings.map(new KafkaReader.Head(_)).toBuffer
  private var last: KafkaReader.Head = _

  waiting.toSeq.foreach(advance)

  override def next(): Boolean = {
    if (last != null) advance(last)
    last = null
    var i = 0
    while (i < waiting.length) {
      if (last == null || waiting(i).turn < last.turn) last = waiting(i)
      i += 1
    }
    if (last != null) row.of(last.record)
    last != null
  }

  override def get: InternalRow = row

  /** Closes partitions that were not read to their ends: their consumers are not used again. */
  override def close(): Unit = waiting.foreach(_.reading.close())

  private def advance(head: KafkaReader.Head): Unit = if (!head.advance()) {
    waiting -= head
    Readings.giveBack(head.reading)
  }
}

object KafkaReader {
  /** The next record of a partition, and when its turn comes. */
  private final class Head(val reading: Reading) {
    var record: Reading.Brought = _
    var turn = Long.MinValue

    /** Go on to the next record; false if there is none. */
    def advance(): Boolean = {
      record = reading.next()
      if (record != null && record.timestamp > turn) turn = record.timestamp
      record != null
    }
  }
}

/** A record as a row of Spark's Kafka source; its time is in milliseconds, for in microseconds not every one has a number. */
final class KafkaRow extends BaseGenericInternalRow {
  private var record: ConsumerRecord[Array[Byte], Array[Byte]] = _
  private var topic: UTF8String = _
  private var named: String = _

  def of(record: ConsumerRecord[Array[Byte], Array[Byte]]): Unit = {
    this.record = record
    if (record.topic ne named) {
      named = record.topic
      topic = UTF8String.fromString(named)
    }
  }

  override def numFields: Int = 8

  override def isNullAt(column: Int): Boolean = column match {
    case KafkaRow.Key => record.key == null
    case KafkaRow.Value => record.value == null
    case KafkaRow.Headers => !record.headers.iterator.hasNext
    case _ => false
  }

  override def getBinary(column: Int): Array[Byte] = if (column == KafkaRow.Key) record.key else record.value
  override def getUTF8String(column: Int): UTF8String = topic
  override def getInt(column: Int): Int = if (column == KafkaRow.Partition) record.partition else record.timestampType.id
  override def getLong(column: Int): Long = if (column == KafkaRow.Offset) record.offset else record.timestamp

  override protected def genericGet(column: Int): Any = column match {
    case KafkaRow.Key | KafkaRow.Value => getBinary(column)
    case KafkaRow.Topic => topic
    case KafkaRow.Partition | KafkaRow.TimestampType => getInt(column)
    case KafkaRow.Offset | KafkaRow.Timestamp => getLong(column)
    case KafkaRow.Headers => if (isNullAt(column)) null else headers
  }

  override def setNullAt(column: Int): Unit = throw new UnsupportedOperationException
  override def update(column: Int, value: Any): Unit = throw new UnsupportedOperationException

  private def headers: GenericArrayData =
    new GenericArrayData(record.headers.toArray.map(one => InternalRow(UTF8String.fromString(one.key), one.value)))
}

object KafkaRow {
  private val Key = 0
  private val Value = 1
  private val Topic = 2
  private val Partition = 3
  private val Offset = 4
  private val Timestamp = 5
  private val TimestampType = 6
  private val Headers = 7
}
