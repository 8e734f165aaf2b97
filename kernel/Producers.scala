package org.apache.spark.sql.headrace

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, NewTopic}
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.common.errors.{InvalidTopicException, TopicExistsException}
import org.apache.kafka.common.internals.Topic
import org.apache.kafka.common.serialization.ByteArraySerializer

/** The producers of this executor: one for each set of options, kept for the life of the process. */
object Producers {
  private val producers = new ConcurrentHashMap[SinkOptions, SharedProducer]

  def get(options: SinkOptions): SharedProducer = producers.computeIfAbsent(options, new SharedProducer(_))

  /** No query runs any more: let go of the broker. */
  def close(): Unit = {
    producers.values.forEach(_.kafka.close())
    producers.clear()
  }
}

/** A producer, and the topics it is known to be able to write. */
class SharedProducer(options: SinkOptions) {
  val kafka: KafkaProducer[Array[Byte], Array[Byte]] = new KafkaProducer(
    (SharedProducer.defaults ++ options.kafka).asJava.asInstanceOf[java.util.Map[String, Object]],
    new ByteArraySerializer,
    new ByteArraySerializer)

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
  /** Large batches: a sink task writes its whole share of a batch at once. */
  private val defaults = Map("linger.ms" -> "20", "batch.size" -> "500000", "compression.type" -> "lz4")
}
