package headrace.kafka

import java.nio.ByteBuffer
import java.time.Duration
import java.util

import scala.collection.mutable

import headrace.model.{Fault, FaultKind}
import org.apache.kafka.clients.consumer.{ConsumerRecord, KafkaConsumer, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.apache.kafka.common.header.Headers
import org.apache.kafka.common.serialization.{ByteArrayDeserializer, Deserializer}

/** A partition that is read: its consumer, and what that has brought and nobody took yet.
  *
  * Kept from batch to batch, for the next one goes on where the last one ended, and its records may be here already.
  */
final class Reading(val of: Reading.Of, config: util.Map[String, Object], unread: Boolean) extends AutoCloseable {
  var lastUsed = 0L
  private val consumer = {
    val value = if (unread) new Presence else new ByteArrayDeserializer
    new KafkaConsumer[Array[Byte], Array[Byte]](config, new ByteArrayDeserializer, value)
  }
  consumer.assign(util.List.of(of.partition))
  private var brought: util.Iterator[Reading.Brought] = util.Collections.emptyIterator()
  /** The next one of those, if it was looked at. */
  private var ahead: Reading.Brought = _
  private var place = -1L
  private var until = -1L

  def begin(from: Long, until: Long): Unit = {
    if (place != from) {
      brought = util.Collections.emptyIterator()
      ahead = null
      consumer.seek(of.partition, from)
      place = from
    }
    this.until = until
  }

  /** The next record; null at the end. */
  def next(): Reading.Brought = {
    while (ahead == null && place < until) {
      if (brought.hasNext) ahead = brought.next()
      // Of the last records some may be of transactions that were given up, and are not brought.
      else if (consumer.position(of.partition) >= until) place = until
      else poll()
    }
    if (ahead == null || ahead.offset >= until) {
      place = until
      null
    } else {
      val record = ahead
      ahead = null
      record
    }
  }

  override def close(): Unit = consumer.close()

  private def poll(): Unit = {
    val before = consumer.position(of.partition)
    val deadline = System.nanoTime + Reading.Silence.toNanos
    try {
      do brought = consumer.poll(Reading.Wait).iterator
      while (!brought.hasNext && consumer.position(of.partition) == before && System.nanoTime < deadline)
    } catch {
      case gone: OffsetOutOfRangeException => throw new Fault(FaultKind.RecordsGone, of.partition.toString, before.toString, "", gone)
    }
    if (!brought.hasNext && consumer.position(of.partition) == before)
      throw new TimeoutException(s"nothing came of ${of.partition} from $before on for ${Reading.Silence.toSeconds} s")
  }
}

object Reading {
  type Brought = ConsumerRecord[Array[Byte], Array[Byte]]

  /** Stream and partition that are read. */
  case class Of(stream: String, partition: TopicPartition)

  private val Wait = Duration.ofSeconds(1)
  private val Silence = Duration.ofSeconds(120)
}

/** All that is read in this process, by queries that run. */
object Readings {
  private val IdleNanos = Duration.ofMinutes(5).toNanos
  private val waiting = mutable.Map.empty[Reading.Of, Reading]

  def borrow(stream: String, range: KafkaRange, unread: Boolean): Reading = {
    val of = Reading.Of(stream, range.partition)
    val reading = synchronized(waiting.remove(of)).getOrElse(new Reading(of, range.consumer, unread))
    reading.begin(range.from, range.until)
    reading
  }

  def giveBack(reading: Reading): Unit = {
    reading.lastUsed = System.nanoTime
    val done = synchronized {
      val second = waiting.put(reading.of, reading)
      second ++ take(_.lastUsed < System.nanoTime - IdleNanos)
    }
    done.foreach(_.close())
  }

  /** The query of a stream is over. */
  def end(stream: String): Unit = synchronized(take(_.of.stream == stream)).foreach(_.close())

  private def take(wanted: Reading => Boolean): Seq[Reading] = {
    val taken = waiting.values.filter(wanted).toSeq
    taken.foreach(reading => waiting.remove(reading.of))
    taken
  }
}

/** Whether there is a value, without a copy of it. */
final class Presence extends Deserializer[Array[Byte]] {
  override def deserialize(topic: String, data: Array[Byte]): Array[Byte] = if (data == null) null else Array.emptyByteArray

  override def deserialize(topic: String, headers: Headers, data: ByteBuffer): Array[Byte] =
    if (data == null) null else Array.emptyByteArray
}
