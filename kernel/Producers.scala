package org.apache.spark.sql.headrace

import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, NewTopic}
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.common.errors.{InvalidTopicException, TopicExistsException}
import org.apache.kafka.common.internals.Topic
import org.apache.kafka.common.serialization.ByteArraySerializer
import org.apache.spark.util.ThreadUtils

/** The producers of this executor: one for each set of options, closed when no task has asked for it for long.
  *
  * An executor does not know when a query has ended, and may live on in a session that was there before it.
  */
object Producers {
  private val IdleMs = 300000L
  private val producers = new ConcurrentHashMap[SinkOptions, SharedProducer]
  private lazy val sweeper = ThreadUtils.newDaemonSingleThreadScheduledExecutor("headrace-producers")
    .scheduleWithFixedDelay(() => sweep(IdleMs), IdleMs, IdleMs, TimeUnit.MILLISECONDS)

  /** The producer for a task, which gives it back. */
  def take(options: SinkOptions): SharedProducer = producers.compute(options, (_, known) => {
    val producer = if (known == null) open(options) else known
    producer.users += 1
    producer
  })

  def giveBack(options: SinkOptions): Unit = producers.computeIfPresent(options, (_, producer) => {
    producer.users -= 1
    producer.usedMs = System.currentTimeMillis
    producer
  })

  /** How many partitions a topic has. */
  def partitions(options: SinkOptions, topic: String): Int = using(options)(_.partitions(topic))

  /** Fail early and plainly for a topic that is not there, or make it where that is wanted. */
  def check(options: SinkOptions, topic: String): Unit = using(options)(_.check(topic))

  private def using[A](options: SinkOptions)(ask: SharedProducer => A): A =
    try ask(take(options))
    finally giveBack(options)

  /** Let go of those that nobody has used for so long. */
  def sweep(idleMs: Long): Unit = producers.keySet.forEach(options =>
    producers.computeIfPresent(options, (_, producer) => {
      val idle = producer.users == 0 && System.currentTimeMillis - producer.usedMs >= idleMs
      if (idle) producer.close()
      if (idle) null else producer
    }))

  def count: Int = producers.size

  /** No query runs any more: let go of the broker. */
  def close(): Unit = {
    producers.values.forEach(_.close())
    producers.clear()
  }

  private def open(options: SinkOptions): SharedProducer = {
    sweeper // starts with the first
    new SharedProducer(options)
  }
}

/** A producer, and the topics it is known to be able to write. */
class SharedProducer(options: SinkOptions) {
  /** How many tasks use it now, and when the last one stopped to. */
  private[headrace] var users = 0
  private[headrace] var usedMs = 0L

  private var opened = false

  lazy val kafka: KafkaProducer[Array[Byte], Array[Byte]] = {
    opened = true
    SharedProducer.open(options.kafka)
  }

  def close(): Unit = if (opened) kafka.close()

  private val known = ConcurrentHashMap.newKeySet[String]()
  known.addAll(options.topics.asJava)

  /** Fail early and plainly for a topic that is not there, or make it where that is wanted. */
  def check(topic: String): Unit = if (!known.contains(topic)) {
    try Topic.validate(topic)
    catch { case invalid: InvalidTopicException => throw new Fault("unwritable", topic, invalid.getMessage, "", invalid) }
    val admin = Admin.create(options.kafka.asJava.asInstanceOf[java.util.Map[String, Object]])
    try {
      if (!admin.listTopics.names.get.contains(topic)) {
        if (!options.createTopics) throw new Fault("topic-missing", topic, options.kafka("bootstrap.servers"), "", null)
        create(admin, topic)
      }
    } finally admin.close()
    known.add(topic)
  }

  /** How many partitions a topic has; it is there afterwards, or that was an error. */
  def partitions(topic: String): Int = {
    check(topic)
    kafka.partitionsFor(topic).size
  }

  private def create(admin: Admin, topic: String): Unit = {
    val wanted = new NewTopic(topic, java.util.Optional.empty[Integer], java.util.Optional.empty[java.lang.Short])
    try {
      admin.createTopics(java.util.List.of(wanted)).all.get
      System.out.println(s"made topic $topic")
    } catch {
      case e: java.util.concurrent.ExecutionException if e.getCause.isInstanceOf[TopicExistsException] => ()
      case e: java.util.concurrent.ExecutionException => throw new Fault("unwritable", topic, e.getCause.getMessage, "", e.getCause)
    }
  }
}

object SharedProducer {
  def open(properties: Map[String, String]): KafkaProducer[Array[Byte], Array[Byte]] = new KafkaProducer(
    (defaults ++ properties).asJava.asInstanceOf[java.util.Map[String, Object]], new ByteArraySerializer, new ByteArraySerializer)

  /** Large batches: a sink task writes its whole share of a batch at once. How large a record may be is for the topic to
    * say, up to all the memory that a producer has.
    */
  private val defaults = Map(
    "linger.ms" -> "20",
    "batch.size" -> "500000",
    "compression.type" -> "lz4",
    "max.request.size" -> "33554432",
    "buffer.memory" -> "33554432")
}
