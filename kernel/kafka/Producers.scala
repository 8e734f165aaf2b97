package headrace.kafka

import java.time.Duration
import java.util.concurrent.{ConcurrentHashMap, ExecutionException}

import scala.jdk.CollectionConverters._

import headrace.model.{Fault, FaultKind}
import org.apache.kafka.clients.admin.{Admin, NewTopic}
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.errors._
import org.apache.kafka.common.internals.Topic
import org.apache.kafka.common.serialization.ByteArraySerializer

/** The producers of this executor that tasks share: one for each set of options. */
object Producers {
  private val lending = new Lending[SinkOptions, SharedProducer](new SharedProducer(_))

  /** The producer for a task, which gives it back. */
  def take(options: SinkOptions): SharedProducer = lending.take(options)

  def giveBack(options: SinkOptions, producer: SharedProducer): Unit = lending.giveBack(options, producer)

  /** How many partitions a topic has. */
  def partitions(options: SinkOptions, topic: String): Int = lending.using(options)(_.partitions(topic))

  /** The topics that match a pattern and have a number, see [[TopicNames]]. */
  def topics(options: SinkOptions, pattern: String, number: Long): Seq[String] =
    lending.using(options)(_.names.matching(pattern, number))

  /** Fail early and plainly for a topic that is not there, or make it where that is wanted. */
  def check(options: SinkOptions, topic: String): Unit = lending.using(options)(_.check(topic))

  /** Limits of a topic that is there. */
  def limits(options: SinkOptions, topic: String): TopicLimits = lending.using(options)(_.limits(topic))

  def sweep(idleMs: Long): Unit = lending.sweep(idleMs)

  def count: Int = lending.count

  def close(): Unit = lending.close()
}

/** A producer, the topics it is known to be able to write, and the names of all. */
class SharedProducer(options: SinkOptions) extends Lent {
  private var opened = false

  lazy val kafka: KafkaProducer[Array[Byte], Array[Byte]] = {
    opened = true
    SharedProducer.open(options.kafka)
  }

  /** Closes at once: records in flight were not waited for by any task, and may never arrive. */
  override def close(): Unit = if (opened) kafka.close(Duration.ZERO)

  private val known = ConcurrentHashMap.newKeySet[String]()
  known.addAll(options.topics.asJava)
  private val limited = new ConcurrentHashMap[String, (Long, TopicLimits)]

  val names = new TopicNames(Clients.asked(options.kafka)(_.listTopics().names.get.asScala.toSeq))

  /** Fail early and plainly for a topic that is not there, or make it where that is wanted. */
  def check(topic: String): Unit = if (!known.contains(topic)) {
    try Topic.validate(topic)
    catch { case invalid: InvalidTopicException => throw new Fault(FaultKind.Unwritable, topic, invalid.getMessage, "", invalid) }
    Clients.asked(options.kafka) { admin =>
      if (!isThere(admin, topic)) {
        if (!options.createTopics) throw new Fault(FaultKind.TopicMissing, topic, options.kafka("bootstrap.servers"), "", null)
        create(admin, topic)
      }
    }
    known.add(topic)
  }

  /** Asked for by its name: a list of all topics leaves out those that one may not see. */
  private def isThere(admin: Admin, topic: String): Boolean =
    try admin.describeTopics(java.util.List.of(topic)).allTopicNames.get.containsKey(topic)
    catch {
      case e: ExecutionException if e.getCause.isInstanceOf[UnknownTopicOrPartitionException] => false
      case e: ExecutionException => throw Fault.ofDenial(e.getCause, ("Write", topic), "")
    }

  /** How many partitions a topic has; it is there afterwards, or that was an error. */
  def partitions(topic: String): Int = {
    check(topic)
    kafka.partitionsFor(topic).size
  }

  /** Limits of a topic, as of the last minute. */
  def limits(topic: String): TopicLimits = {
    val now = System.nanoTime
    limited.compute(topic, (_, known) => if (known != null && now - known._1 < SharedProducer.FreshNanos) known else (now, ask(topic)))._2
  }

  private def ask(topic: String): TopicLimits = {
    val asked = new ConfigResource(ConfigResource.Type.TOPIC, topic)
    val settings =
      try Clients.asked(options.kafka)(_.describeConfigs(java.util.List.of(asked)).all.get.get(asked).entries.asScala.toSeq)
      catch { case _: AuthorizationException => Nil }
    new TopicLimits(
      SharedProducer.defaults ++ options.kafka,
      settings.collect { case one if TopicLimits.Asked(one.name) && one.value != null => one.name -> one.value }.toMap)
  }

  private def create(admin: Admin, topic: String): Unit = {
    val wanted = new NewTopic(topic, java.util.Optional.empty[Integer], java.util.Optional.empty[java.lang.Short])
    try {
      admin.createTopics(java.util.List.of(wanted)).all.get
      System.out.println(s"made topic $topic")
    } catch {
      case e: ExecutionException if e.getCause.isInstanceOf[TopicExistsException] => ()
      case e: ExecutionException if e.getCause.isInstanceOf[RetriableException] => throw e.getCause
      case e: ExecutionException => throw new Fault(FaultKind.Unwritable, topic, e.getCause.getMessage, "", e.getCause)
    }
  }
}

object SharedProducer {
  def open(properties: Map[String, String]): KafkaProducer[Array[Byte], Array[Byte]] = new KafkaProducer(
    Clients.properties(defaults ++ properties), new ByteArraySerializer, new ByteArraySerializer)

  private val FreshNanos = Duration.ofMinutes(1).toNanos

  /** Large batches: a sink task writes its whole share of a batch at once. How large a record may be is for the topic to
    * say, up to all the memory that a producer has. Before its first transaction a producer looks for two coordinators,
    * and waits after each for as long as before it tries something again: with Kafka's 100 ms a start takes 0.4 s longer.
    */
  private val defaults = Map(
    "linger.ms" -> "20",
    "retry.backoff.ms" -> "20",
    "batch.size" -> "500000",
    "compression.type" -> "lz4",
    "max.request.size" -> "33554432",
    "buffer.memory" -> "33554432")
}
