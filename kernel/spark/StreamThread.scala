package org.apache.spark.sql.headrace

import headrace.functions.Compute
import headrace.kafka.{KafkaRow, SinkOptions}
import headrace.live._
import headrace.model.{Clock, Envelope, Groups, Moment, Tally}
import headrace.operators.Task
import headrace.spec.StageSpec
import java.nio.file.Path
import java.util

import scala.collection.mutable

import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.TopicPartition
import org.apache.spark.TaskContext
import org.apache.spark.rpc.RpcEndpointRef
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/** One of the threads that an application runs on: a task of Spark's for as long as it runs, with many of its own tasks.
  *
  * It polls, has what came go through its tasks, and commits outputs, state and positions together, in a loop.
  */
final class StreamThread(number: Int, options: LiveOptions, context: TaskContext, driver: RpcEndpointRef) extends AutoCloseable {
  import StreamThread._

  private val ration = new Ration
  private val output = new ThreadOutput(options, number)
  private val input = new ThreadInput(options, ration)
  private val states = mutable.LinkedHashMap.empty[Int, TaskState]
  private val tasks = new mutable.ArrayBuffer[Task]
  private val pipelines = new mutable.ArrayBuffer[Pipeline]
  /** By topic and task: rows that were in the task already that takes them. */
  private val stayed = mutable.Map.empty[(String, Int), util.ArrayDeque[Envelope]]
  private val giveBack = new mutable.ArrayBuffer[() => Unit]
  private val counts = new LiveCounts
  private val clock = new Clock(Moment.Unknown)
  private val intervalNanos = options.intervalMs * 1000000
  private var committed = Map.empty[TopicPartition, Long]
  private var begunNanos, toldNanos = 0L
  /** Whether something was taken since the last commit. */
  private var dirty = false
  private var told = true
  private var read, written = 0L

  // -- what the plan of a task asks for

  /** The state of the tasks, as the last commit left it. */
  def restore(): Unit = if (options.stateful) {
    val directory = Option(options.directory).map(Path.of(_))
    options.tasksOf(number).foreach { task =>
      val store = new LocalStore(directory.map(_.resolve(task.toString)).orNull, options.changelog)
      states(task) = new TaskState(store)
    }
    new Restore(options, states.map { case (task, state) => task -> state.store }.toMap, counts, () => tell(Map.empty)).run()
  }

  /** Rows as Kafka's source has them. */
  def source(topics: Seq[String], task: Int): Iterator[InternalRow] = {
    val row = new KafkaRow
    input.task(topics, task).map { record =>
      read += 1
      row.of(record)
      row
    }
  }

  /** What came to a task by a topic of ours; before it, what was there already. */
  def repartitioned(topic: String, task: Int): Iterator[Envelope] = {
    val (here, group) = (stayedIn(topic, task), Groups.of(options.tasks)(task))
    val records = input.task(Seq(topic), task)
    new Iterator[Envelope] {
      override def hasNext: Boolean = !here.isEmpty || records.hasNext
      override def next(): Envelope = if (!here.isEmpty) here.poll() else RepartitionRecord.read(records.next().value, group)
    }
  }

  def task(number: Int, group: Int, spec: StageSpec, functions: Array[Expression], tally: Tally): Task = {
    val computes = Compute.borrow(spec.id, functions)
    giveBack += (() => Compute.giveBack(spec.id, computes))
    val made = new Task(group, spec, name => states(number).cells(s"${spec.number}/$name"), computes, tally, clock)
    tasks += made
    made
  }

  /** The rows of a part of the plan in a task, and where they go. */
  def add(part: SubTopologyEnd, task: Int, rows: Iterator[InternalRow]): Unit = pipelines += (part match {
    case ToSink(sink, tally) =>
      val writer = new KafkaSinkWriter(sink, output, tally)
      val write = (row: InternalRow) => { written += 1; writer.write(row) }
      new Pipeline(rows, write, () => writer.commit(): Unit)
    case ToTasks(into, columns) =>
      val writer = new RepartitionWriter(into, columns, task, options.tasks, stayedIn(into.topic, task), output)
      new Pipeline(rows, writer.write, () => ())
  })

  // -- the loop

  /** Run until the driver says that it is over. */
  def run(): Unit = {
    input.begin()
    clock.move(now)
    while (told && !context.isInterrupted()) {
      val came = input.poll(pollMs)
      if (came || input.waits || stayed.values.exists(!_.isEmpty)) work()
      if (dirty && (System.nanoTime - begunNanos >= intervalNanos || (options.bounded && input.isDone))) commit()
      else if (!dirty && System.nanoTime - toldNanos >= QuietNanos) tell(input.positions)
    }
    if (dirty && !context.isInterrupted()) commit()
  }

  private def pollMs: Long =
    if (input.waits && !ration.held) 0
    else if (dirty) math.max(0, math.min(HeldMs, (begunNanos + intervalNanos - System.nanoTime) / 1000000))
    else if (input.waits) HeldMs
    else IdleMs

  /** Have all tasks take some of what is there. */
  private def work(): Unit = {
    val before = ration.taken
    if (!dirty) begunNanos = System.nanoTime
    val until = begunNanos + intervalNanos
    pipelines.foreach { pipeline =>
      ration.renew(until)
      pipeline.drain()
    }
    if (ration.taken > before) dirty = true
    ration.held = ration.taken == before
    input.resume()
    if (states.values.map(_.changes).sum > MostChanges) commit()
  }

  private def commit(): Unit = {
    ration.end()
    clock.move(now)
    // What a task sends on as the interval ends goes to those behind it, before their own ends.
    pipelines.foreach(_.drain())
    tasks.foreach { task =>
      task.settle()
      pipelines.foreach(_.drain())
    }
    pipelines.foreach(_.settle())
    val ends = log()
    val positions = input.positions
    output.commit(input.offsets(positions.filter { case (one, offset) => !committed.get(one).contains(offset) }), input.commit)
    states.foreach { case (task, state) => if (state.changes > 0) state.committed(ends(task).get) }
    Seq(Tally.Read -> read, Tally.Written -> written).foreach { case (kind, by) => if (by > 0) counts.add(kind, "", "", by) }
    read = 0
    written = 0
    committed = positions
    dirty = false
    tell(positions)
  }

  /** Send the changes of all states to the changelog; where it goes on in each task, once they are there. */
  private def log(): Map[Int, java.util.concurrent.atomic.AtomicLong] = states.map { case (task, state) =>
    val end = new java.util.concurrent.atomic.AtomicLong(state.store.position)
    state.pending.foreach(cell => output.log(
      new ProducerRecord(options.changelog, Int.box(task), cell.key, cell.value),
      offset => end.accumulateAndGet(offset + 1, math.max(_, _)): Unit))
    task -> end
  }.toMap

  /** Say how far it is, and hear whether to go on. */
  private def tell(positions: Map[TopicPartition, Long]): Unit = {
    told = driver.askSync[Boolean](LiveReport(number, positions, counts.take()))
    toldNanos = System.nanoTime
  }

  def count(kind: String, place: String, reason: String, by: Long): Unit = counts.add(kind, place, reason, by)

  private def stayedIn(topic: String, task: Int): util.ArrayDeque[Envelope] =
    stayed.getOrElseUpdate((topic, task), new util.ArrayDeque[Envelope])

  private def now: Moment = {
    val ms = Clock.machine
    Moment(ms, ms)
  }

  override def close(): Unit = {
    giveBack.foreach(_())
    output.close()
    input.close()
    states.values.foreach(_.store.close())
  }
}

object StreamThread {
  private val current = new ThreadLocal[StreamThread]

  /** The one that runs in this thread; null if none does. */
  def orNull: StreamThread = current.get

  def here: StreamThread = {
    val one = current.get
    if (one == null) throw new IllegalStateException("rows of stream threads are there on stream threads alone")
    one
  }

  def enter(one: StreamThread): Unit = current.set(one)

  /** How long it waits for records when it has nothing to do, and how long for those that others wait for. */
  private val IdleMs = 100L
  private val HeldMs = 10L
  /** After so long it tells that it is there. */
  private val QuietNanos = 200000000L
  /** With so many changes it does not wait for the end of the interval. */
  private val MostChanges = 200000

  /** Rows of a part of the plan in one task, and where they go. */
  private final class Pipeline(rows: Iterator[InternalRow], write: InternalRow => Unit, end: () => Unit) {
    def drain(): Unit = while (rows.hasNext) write(rows.next())

    /** An interval is over. */
    def settle(): Unit = end()
  }
}

/** Where the rows of a part of the plan go. */
sealed trait SubTopologyEnd

case class ToSink(sink: SinkOptions, tally: Tally) extends SubTopologyEnd

case class ToTasks(into: Repartitioning, columns: Seq[String]) extends SubTopologyEnd
