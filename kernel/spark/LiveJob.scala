package org.apache.spark.sql.headrace

import headrace.kafka.{Clients, KafkaOptions, SinkOptions}
import headrace.live.LiveOptions
import java.util.{Optional, UUID}
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{Admin, NewTopic, OffsetSpec, RecordsToDelete}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException
import org.apache.spark.{NarrowDependency, Partition, SparkContext, SparkEnv, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, classic}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.RpcUtils

/** An application as one long job of Spark's, whose tasks are stream threads. */
final class LiveJob(session: classic.SparkSession, parts: Seq[SubTopology], topics: Seq[String], options: LiveOptions) {
  import LiveJob._

  private val sc = session.sparkContext
  private val id = s"headrace-live-${UUID.randomUUID}"
  private val rpc = sc.env.rpcEnv
  private val reports = new LiveReports(rpc, topics.toSet)
  private val endpoint = rpc.setupEndpoint(id, reports)
  private val between = parts.flatMap(_.into).map(_.topic)
  private val stopping = new AtomicBoolean
  @volatile private var failed: Throwable = _
  private val running = new Thread(() => run(), s"headrace-live-${options.app}")
  private val watching = new Thread(() => watch(), s"headrace-live-watch-${options.app}")
  Seq(running, watching).foreach { one => one.setDaemon(true); one.start() }

  /** Wait until it has ended, or something was counted: whether it has ended. */
  def ended(millis: Long): Boolean = {
    val until = System.nanoTime + millis * 1000000
    running.join(math.min(millis, LeastMs)) // to tell of every commit would cost more than to do it
    while (running.isAlive && !reports.hasNews && System.nanoTime < until) running.join(GlanceMs)
    !running.isAlive
  }

  /** What was counted since the last call, as JSON. */
  def progress(): String = reports.take()

  /** What it has failed of; null if it has not. */
  def failure: Throwable = failed

  /** Have the threads end, each behind a commit. */
  def finish(): Unit = {
    stopping.set(true)
    reports.end()
  }

  /** End it now. */
  def stop(): Unit = {
    finish()
    sc.cancelJobGroup(id)
    running.join(StoppingMs)
  }

  private def run(): Unit =
    try session.withActive {
      SQLExecution.withSQLConfPropagated(session) {
        sc.setJobGroup(id, s"headrace ${options.app}", interruptOnCancel = true)
        sc.setLocalProperty("spark.scheduler.pool", options.app)
        val tally = BatchTally.of(session)
        val ends = parts.map(part => part.into.fold[SubTopologyEnd](ToSink(options.sink, tally))(ToTasks(_, part.plan.output.map(_.name))))
        val threads = new StreamThreads(sc, parts.map(_.plan.execute()), ends, options, id)
        sc.runJob(threads, (rows: Iterator[Unit]) => rows.foreach(identity)): Unit
      }
    } catch { case caught: Throwable => if (!stopping.get) failed = caught }
    finally {
      stopping.set(true)
      rpc.stop(endpoint)
    }

  /** See how far it is, delete what no task needs any more, and end it when all is read that was there. */
  private def watch(): Unit = {
    val admin = Clients.admin(options.sink.kafka)
    try {
      var goal = if (options.bounded) topics +: between.map(Seq(_)) else Nil
      var targets = if (options.bounded) latest(admin, topics) else Map.empty[TopicPartition, Long]
      var purged = System.nanoTime
      while (!stopping.get) {
        val positions = reports.positions
        if (goal.nonEmpty && targets.forall { case (one, offset) => positions.get(one).exists(_ >= offset) }) {
          goal = goal.tail
          if (goal.isEmpty) finish() else targets = latest(admin, goal.head)
        } else Thread.sleep(GlanceMs)
        if (System.nanoTime - purged > PurgeNanos) {
          purge(admin, positions)
          purged = System.nanoTime
        }
      }
    } catch { case caught: Exception => if (!stopping.get) { failed = caught; stop() } }
    finally admin.close()
  }

  private def latest(admin: Admin, topics: Seq[String]): Map[TopicPartition, Long] = Clients.plainly {
    val described = admin.describeTopics(topics.asJava).allTopicNames.get.asScala
    val partitions = described.toSeq.flatMap { case (topic, one) => one.partitions.asScala.map(p => new TopicPartition(topic, p.partition)) }
    admin.listOffsets(partitions.map(_ -> OffsetSpec.latest).toMap.asJava).all.get.asScala.map { case (one, found) => one -> found.offset }.toMap
  }

  /** What was committed of repartition topics is of no use any more. */
  private def purge(admin: Admin, positions: Map[TopicPartition, Long]): Unit = {
    val done = positions.collect { case (one, offset) if between.contains(one.topic) => one -> RecordsToDelete.beforeOffset(offset) }
    if (done.nonEmpty) admin.deleteRecords(done.asJava).all.get
  }
}

object LiveJob {
  private val GlanceMs = 20L
  private val LeastMs = 200L
  private val StoppingMs = 10000L
  private val PurgeNanos = 30000000000L

  /** Start an application: its rows for the sink, and how it is to run. */
  def start(rows: DataFrame, sink: SinkOptions, settings: CaseInsensitiveStringMap): LiveJob = {
    val session = rows.sparkSession.asInstanceOf[classic.SparkSession]
    Generated.foreach { case (name, value) => session.conf.set(name, value) }
    val plan = rows.queryExecution.executedPlan
    val Seq(app, tasks) = Seq("app", "tasks").map(settings.get)
    val parts = SubTopologies.of(plan, app, tasks.toInt)
    val options = LiveOptions.of(settings, sink, stateful = plan.exists(_.isInstanceOf[LiveStageExec]))
    prepare(options, parts)
    new LiveJob(session, parts, KafkaOptions.names(settings, "topics"), options)
  }

  /** Nothing may be run that was not generated: where Spark cannot generate code, it fails instead. */
  private val Generated = Map(
    "spark.sql.codegen.fallback" -> "false",
    "spark.sql.codegen.maxFields" -> "10000",
    "spark.sql.codegen.hugeMethodLimit" -> Int.MaxValue.toString)

  /** Make the topics that only the application itself uses, and have the broker give up what earlier threads left open. */
  private def prepare(options: LiveOptions, parts: Seq[SubTopology]): Unit = Clients.asked(options.sink.kafka) { admin =>
    val between = parts.flatMap(_.into).map(one => topic(one.topic, options.tasks, "cleanup.policy" -> "delete", "retention.ms" -> "-1"))
    val changelog = if (options.stateful) Seq(topic(options.changelog, options.tasks, "cleanup.policy" -> "compact", "segment.bytes" -> "67108864")) else Nil
    val there = admin.listTopics.names.get
    val missing = (between ++ changelog).filterNot(one => there.contains(one.name))
    if (missing.nonEmpty) admin.createTopics(missing.asJava).all.get
    if (options.transactional)
      try admin.fenceProducers((0 until options.tasks).map(options.transactionalId).asJava).all.get
      catch { case failed: java.util.concurrent.ExecutionException if failed.getCause.isInstanceOf[TransactionalIdAuthorizationException] => () }
  }

  private def topic(name: String, partitions: Int, settings: (String, String)*): NewTopic =
    new NewTopic(name, Optional.of[Integer](partitions), Optional.empty[java.lang.Short]).configs(settings.toMap.asJava)
}

/** The stream threads of an application, each a partition. */
final class StreamThreads(
    sc: SparkContext, @transient private val rows: Seq[RDD[InternalRow]], ends: Seq[SubTopologyEnd], options: LiveOptions, driver: String)
  extends RDD[Unit](sc, rows.map(one => new OfThread(one, options))) {
  override protected def getPartitions: Array[Partition] = Array.tabulate[Partition](options.threads) { thread =>
    ThreadPartition(thread, rows.map(one => options.tasksOf(thread).map(one.partitions(_))))
  }

  override def compute(split: Partition, context: TaskContext): Iterator[Unit] = {
    val env = SparkEnv.get
    val reports = RpcUtils.makeDriverRef(driver, env.conf, env.rpcEnv)
    val thread = new StreamThread(split.index, options, context, reports)
    StreamThread.enter(thread)
    context.addTaskCompletionListener[Unit] { _ =>
      StreamThread.enter(null)
      thread.close()
    }
    thread.restore()
    val parts = dependencies.zip(ends).zip(split.asInstanceOf[ThreadPartition].parents)
    parts.foreach { case ((dependency, end), partitions) =>
      val rows = dependency.rdd.asInstanceOf[RDD[InternalRow]]
      partitions.foreach(one => thread.add(end, one.index, rows.iterator(one, context)))
    }
    thread.run()
    Iterator.empty
  }
}

final case class ThreadPartition(index: Int, parents: Seq[Seq[Partition]]) extends Partition

/** The tasks of a thread. */
final class OfThread(rows: RDD[InternalRow], options: LiveOptions) extends NarrowDependency[InternalRow](rows) {
  override def getParents(thread: Int): Seq[Int] = options.tasksOf(thread)
}
