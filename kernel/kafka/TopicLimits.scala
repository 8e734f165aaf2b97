package headrace.kafka

import headrace.model.Clock
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.record.internal.{AbstractRecords, CompressionType, MemoryRecords, RecordBatch, SimpleRecord}

/** Limits of a topic and of its producer: a record that does not fit is found before it is sent, for a
  * refusal that comes back spoils the whole transaction.
  *
  * @param producer its properties
  * @param topic    the settings of the topic; those that nobody may see limit nothing here
  */
final class TopicLimits(producer: Map[String, String], topic: Map[String, String]) {
  import TopicLimits._

  private val maxBytes = Seq("max.message.bytes", "segment.bytes").map(name => name -> number(topic, name)).minBy(_._2)
  private val requests = Seq("max.request.size", "buffer.memory").map(name => name -> number(producer, name)).minBy(_._2)
  private val before = number(topic, "message.timestamp.before.max.ms")
  private val after = number(topic, "message.timestamp.after.max.ms")
  private val ownTimes = topic.get("message.timestamp.type").forall(_ == "CreateTime")
  private val compacted = topic.get("cleanup.policy").exists(_.split(',').map(_.trim).contains("compact"))
  private val ours = compression(producer)
  /** As the record is sent, and as the topic keeps it. */
  private val forms = Seq(ours) ++ topic.get("compression.type").filter(_ != "producer").map(_ => compression(topic))

  /** Why a record would be refused; null if it would not. */
  def refusal(record: Written): String =
    if (compacted && record.key == null) "it has no key (cleanup.policy of the topic)"
    else if (!takes(record.timestamp)) s"its time is ${record.timestamp} (message.timestamp.before.max.ms and .after.max.ms of the topic)"
    else sizeRefusal(record)

  /** Whether a time is one that the topic takes now. */
  def takes(ts: Long): Boolean = {
    val now = Clock.machine
    !ownTimes || (now - ts <= before && ts - now <= after)
  }

  private def sizeRefusal(record: Written): String = {
    val whole = AbstractRecords.estimateSizeInBytesUpperBound(
      RecordBatch.CURRENT_MAGIC_VALUE, ours.`type`, record.key, record.value, record.headers.toArray)
    if (whole > requests._2) tooLarge(whole, requests, "producer")
    else if (whole + whole / Frames + Frame <= maxBytes._2) null
    else forms.map(size(record, _)).find(_ > maxBytes._2).map(size => tooLarge(size, maxBytes, "topic")).orNull
  }
}

object TopicLimits {
  type Written = ProducerRecord[Array[Byte], Array[Byte]]

  /** The settings that are asked for. */
  val Asked: Set[String] = Set(
    "max.message.bytes", "segment.bytes", "message.timestamp.before.max.ms", "message.timestamp.after.max.ms",
    "message.timestamp.type", "cleanup.policy", "compression.type") ++ Levels.values

  private lazy val Levels = Seq(CompressionType.GZIP, CompressionType.LZ4, CompressionType.ZSTD)
    .map(one => one -> s"compression.${one.name}.level").toMap

  /** Bytes that compression may add to a record that it does not make smaller: a part of it, and the frame around it. */
  private val Frames = 64
  private val Frame = 1024

  private def number(settings: Map[String, String], name: String): Long =
    settings.get(name).flatMap(_.toLongOption).getOrElse(Long.MaxValue)

  private def tooLarge(size: Int, limit: (String, Long), whose: String): String =
    s"it has $size bytes, ${limit._2} are the most (${limit._1} of the $whose)"

  /** The size of a record that goes alone: a batch that is too large is sent in parts. */
  private def size(record: Written, compression: Compression): Int = MemoryRecords.withRecords(
    compression, new SimpleRecord(record.timestamp, record.key, record.value, record.headers.toArray)).sizeInBytes

  private def compression(settings: Map[String, String]): Compression = {
    def level(of: CompressionType): Option[Int] = settings.get(Levels(of)).map(_.toInt)
    settings.getOrElse("compression.type", "none") match {
      case "gzip" => level(CompressionType.GZIP).fold(Compression.gzip)(Compression.gzip.level).build()
      case "lz4" => level(CompressionType.LZ4).fold(Compression.lz4)(Compression.lz4.level).build()
      case "zstd" => level(CompressionType.ZSTD).fold(Compression.zstd)(Compression.zstd.level).build()
      case "snappy" => Compression.snappy.build()
      case _ => Compression.NONE
    }
  }
}
