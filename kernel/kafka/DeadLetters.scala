package headrace.kafka

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import headrace.model.Clock
import org.apache.kafka.clients.consumer.{ConsumerRecord, KafkaConsumer}
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.apache.kafka.common.header.{Header, Headers}
import org.apache.kafka.common.header.internals.RecordHeader
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Records that failed, with the bytes that they had in their own topics.
  *
  * What comes to the sink only says where that was, in JSON: failures are rare, and rows that carry their origins along
  * would cost all the others.
  */
object DeadLetters {
  type Bytes = Array[Byte]

  private val Attempt = "headrace.attempt"
  private val Told = Seq("node", "error", "message", "origin")
  private val Names = Told.map(name => s"headrace.$name")
  private val Cut = "headrace.cut"
  private val Longest = 500
  private val Origin = "([a-zA-Z0-9._-]+)-([0-9]+)@([0-9]+)".r
  private val mapper = new ObjectMapper
  private val lending = new Lending[SinkOptions, Originals](options => new Originals(options.kafka))

  /** Dead letter of a failed record: its own bytes, and in headers why it failed.
    *
    * One that failed because it has no time gets the time of day, so that its topic keeps it for a while.
    */
  def letter(options: SinkOptions, topic: String, ts: Long, json: Array[Byte]): ProducerRecord[Bytes, Bytes] = {
    val told = mapper.readTree(json)
    val found = Option(told.path("origin").textValue).map {
      case Origin(topic, partition, offset) =>
        val place = new TopicPartition(topic, partition.toInt)
        lending.using(options)(_.read(place, offset.toLong)).toRight("it was deleted from its topic before")
      case _ => Left("it is not known which topic it was read from")
    }
    val original = found.flatMap(_.toOption)
    val (key, value) = original.fold[(Bytes, Bytes)]((null, null))(one => (one.key, one.value))
    val time = if (original.exists(_.timestamp < 0)) Clock.machine else ts
    val letter = new ProducerRecord(topic, null, Long.box(time), key, value)
    original.foreach(_.headers.asScala.filterNot(one => isOurs(one.key)).foreach(letter.headers.add))
    Told.zip(Names).foreach { case (field, name) =>
      if (told.path(field).isTextual) letter.headers.add(header(name, told.path(field).textValue))
    }
    found.flatMap(_.left.toOption).foreach(why => letter.headers.add(header(Cut, why)))
    letter.headers.add(header(Attempt, (original.fold(0)(one => attempts(one.headers)) + 1).toString))
    letter
  }

  /** A record that its topic does not take: it has no other place, so there is nothing to send again. */
  def refused(topic: String, record: ProducerRecord[Bytes, Bytes], error: String, message: String): ProducerRecord[Bytes, Bytes] = {
    val letter = new ProducerRecord(topic, null, record.timestamp, record.key, record.value)
    record.headers.asScala.filterNot(one => isOurs(one.key)).foreach(letter.headers.add)
    Names.zip(Seq(record.topic, error, message)).foreach { case (name, text) => letter.headers.add(header(name, text)) }
    letter
  }

  /** A letter as the topic of letters takes it: without its value, or without all that it had, if it is too large there,
    * which a header says, and with the time of day if its own is refused.
    */
  def fitted(letter: ProducerRecord[Bytes, Bytes], limits: TopicLimits): ProducerRecord[Bytes, Bytes] = {
    def less(key: Bytes, value: Bytes, headers: Iterable[Header]): ProducerRecord[Bytes, Bytes] = {
      val ts = if (limits.takes(letter.timestamp)) letter.timestamp else Long.box(Clock.machine)
      new ProducerRecord(letter.topic, null, ts, key, value, headers.asJava)
    }
    lazy val headers = letter.headers.asScala
    lazy val cut = header(Cut, "it was too large for this topic")
    if (limits.refusal(letter) == null) letter
    else Iterator(less(letter.key, letter.value, headers), less(letter.key, null, headers ++ Some(cut)))
      .find(limits.refusal(_) == null)
      .getOrElse(less(null, null, headers.filter(one => isOurs(one.key)).map(shortened) ++ Some(cut)))
  }

  def close(): Unit = lending.close()

  private def isOurs(name: String): Boolean = name == Attempt || Names.contains(name)

  private def shortened(told: Header): Header =
    if (told.value.length <= Longest) told else new RecordHeader(told.key, told.value.take(Longest))

  private def header(name: String, text: String): RecordHeader = new RecordHeader(name, text.getBytes(UTF_8))

  /** Number of times that a record has failed before. */
  private def attempts(headers: Headers): Int =
    Option(headers.lastHeader(Attempt)).flatMap(one => Option(one.value)).flatMap(new String(_, UTF_8).toIntOption).getOrElse(0)
}

/** Reads single records of topics again. */
final class Originals(kafka: Map[String, String]) extends Lent {
  import DeadLetters.Bytes
  import Originals._

  private val consumer = {
    val config = defaults ++ kafka - "group.id"
    new KafkaConsumer[Bytes, Bytes](Clients.properties(config), new ByteArrayDeserializer, new ByteArrayDeserializer)
  }

  /** The record at a place; none if it was deleted since. */
  def read(partition: TopicPartition, offset: Long): Option[ConsumerRecord[Bytes, Bytes]] = synchronized {
    consumer.assign(JavaList.of(partition))
    consumer.seek(partition, offset)
    val deadline = System.nanoTime + Patience.toNanos
    while (consumer.position(partition) <= offset) {
      if (System.nanoTime > deadline) throw new TimeoutException(s"nothing came of $partition at $offset")
      val found = consumer.poll(Wait).asScala.headOption
      if (found.nonEmpty) return found.filter(_.offset == offset)
    }
    None
  }

  override def close(): Unit = synchronized(consumer.close())
}

object Originals {
  private val Wait = Duration.ofMillis(200)
  private val Patience = Duration.ofSeconds(60)
  private val defaults = Map(
    "isolation.level" -> "read_committed", "enable.auto.commit" -> "false", "auto.offset.reset" -> "earliest",
    "max.poll.records" -> "1")
}
