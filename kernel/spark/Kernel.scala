package org.apache.spark.sql.headrace

import java.util.concurrent.atomic.AtomicReference

import headrace.functions.Functions
import headrace.kafka.SinkOptions
import headrace.model.Envelope
import headrace.spec.StageSpec
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession}
import org.apache.spark.sql.execution.streaming.runtime.{StreamExecution, StreamingQueryWrapper, TERMINATED}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress, TimeMode}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The doors that Python knocks at. */
object Kernel {
  /** Make the `hr_*` functions known to a session. */
  def install(spark: SparkSession): Unit = SessionFunctions.register(spark, Functions.all(BatchTally.of(spark)))

  private val sinks = new java.util.WeakHashMap[SparkSession, SinkOptions]

  /** Tell a session's functions and stages how its query writes: `options` are those of the sink. */
  def writes(spark: SparkSession, options: java.util.Map[String, String]): Unit = {
    val sink = SinkOptions.of(new CaseInsensitiveStringMap(options))
    SessionFunctions.register(spark, Functions.ofSink(sink))
    synchronized(sinks.put(spark, sink))
  }

  /** Run one stage over envelopes; `spec` is its description in JSON. */
  def stage(envelopes: DataFrame, spec: String): DataFrame = {
    val parsed = StageSpec.parse(spec)
    val functions = SessionFunctions.resolve(envelopes.sparkSession, parsed.functions)
    val tally = BatchTally.of(envelopes.sparkSession)
    if (LiveStage.reads(envelopes)) LiveStage.over(envelopes, parsed, functions, tally)
    else envelopes
      .groupBy(col("group"))
      .as[Int, Envelope](Encoders.scalaInt, Encoders.product[Envelope])
      .transformWithState(
        new Stage(
          parsed,
          functions,
          tally,
          synchronized(sinks.get(envelopes.sparkSession))),
        TimeMode.None,
        OutputMode.Append)(Encoders.product[Envelope])
      .toDF()
  }

  /** Records for stream threads, see [[LiveSource]]. */
  def liveRecords(spark: SparkSession, topics: java.util.List[String], tasks: Int): DataFrame =
    LiveSource.read(spark, topics, tasks)

  /** Run an application on stream threads: its rows for the sink, and how, see [[LiveOptions]]. */
  def runLive(rows: DataFrame, settings: java.util.Map[String, String]): LiveJob =
    LiveJob.start(rows, synchronized(sinks.get(rows.sparkSession)), new CaseInsensitiveStringMap(settings))

  /** Let a query finish the batch it is in and then end.
    *
    * `stop()` interrupts the batch instead, which leaves half of its output written. The state is what `stop()` sets
    * too; the query looks at it between batches. If it changes while a batch is being prepared, Spark interrupts its own
    * thread; the sink then sees to it that no task starts.
    */
  def finish(query: StreamingQuery): Unit = {
    val state = classOf[StreamExecution].getMethod("state").invoke(execution(query)).asInstanceOf[AtomicReference[Any]]
    state.set(TERMINATED)
  }

  /** Wait until a query's thread has ended, or a later batch than that is done: whether it has ended.
    *
    * `awaitTermination` looks at the state instead.
    */
  def ended(query: StreamingQuery, batch: Long, millis: Long): Boolean = {
    val thread = execution(query).queryExecutionThread
    val until = System.nanoTime + millis * 1000000
    while (thread.isAlive && later(query, batch).isEmpty && System.nanoTime < until) thread.join(Glance)
    !thread.isAlive
  }

  /** What a query tells of the batches after that one, as an array of JSON. */
  def progress(query: StreamingQuery, batch: Long): String = later(query, batch).map(_.json).mkString("[", ",", "]")

  /** By their numbers: the machine's clock may jump. Spark also tells that nothing happened. */
  private def later(query: StreamingQuery, batch: Long): Seq[StreamingQueryProgress] =
    query.recentProgress.toSeq.filter(one => one.batchId > batch && one.durationMs.containsKey("addBatch"))

  private val Glance = 20L

  private def execution(query: StreamingQuery): StreamExecution =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery
}
