package headrace.operators

import java.nio.charset.StandardCharsets.UTF_8

import headrace.functions.Compute
import headrace.model.{Bytes, Clock, Fault, Reason, Record, SideOutput}
import headrace.spec.{NodeSpec, SpecMismatch}

/** Entry of records into an operator. */
trait Way {
  def apply(record: Record): Unit
}

/** One task's share of a node. */
abstract class Operator(val node: NodeSpec, val task: Task) {
  /** Entries of the operators that read from this one, in the order of their positions. */
  protected var ways: Array[Way] = Array.empty

  /** Operators upstream, in the order of the inputs; null for one in another stage. */
  protected var upstream: IndexedSeq[Operator] = IndexedSeq.empty

  /** Entries of the side outputs, by kind. */
  protected var sideOutputs: Map[SideOutput.Value, Array[Way]] = Map.empty

  /** Operators of this task that read the results. */
  private var readers: Seq[Operator] = Nil

  /** Say who reads from it. */
  def lead(readers: Seq[Operator]): Unit = this.readers = readers

  def connect(
      upstream: IndexedSeq[Operator], ways: Array[Way], sideOutputs: Map[SideOutput.Value, Array[Way]]): Unit = {
    this.upstream = upstream
    this.ways = ways
    this.sideOutputs = sideOutputs.withDefaultValue(Array.empty)
  }

  /** Entry of the records of an input; an operator with several inputs has several. */
  def way(position: Int): Way = onRecord(_)

  /** The way of an input, on which a record that fails here is sent to where failures are read, if they are. */
  def entry(position: Int): Way =
    if (!node.readsFailures) way(position) else if (node.failure.decodes) decoded(way(position)) else guarded(way(position))

  /** Handle one record, and send on what comes of it. */
  def onRecord(record: Record): Unit

  /** The stream time of an operator in front has followed the clock: those that go by it here follow, too. */
  def onTime(ms: Long): Unit = readers.foreach(_.onTime(ms))

  /** The stream time at which something will happen here, or with those that follow; [[Clock.Never]] if nothing waits. */
  def nextTime: Long = readers.iterator.map(_.nextTime).minOption.getOrElse(Clock.Never)

  /** The batch is over: write what was cached, send on what was held back. */
  def flush(): Unit = ()

  /** Send a record to everyone who reads from this node. */
  def forward(record: Record): Unit = {
    var i = 0
    while (i < ways.length) {
      ways(i)(record)
      i += 1
    }
  }

  /** Leave a record out, and count it; one that is late goes to where late ones are read. */
  private[headrace] def drop(reason: Reason.Value, record: Record): Unit = {
    task.drops.add(node.name, reason)
    if (reason == Reason.Late) sendToSideOutput(SideOutput.Late, record)
  }

  /** Send a record to the side outputs of a kind. */
  protected def sendToSideOutput(kind: SideOutput.Value, record: Record): Unit =
    sideOutputs(kind).foreach(_(record.plain))

  /** A way on which a record that fails at this node is sent to where failures are read. */
  protected def guarded(way: Way): Way = record =>
    try way(record)
    catch { case fault: Fault => fail(record, fault) }

  /** Result of a function for a row; null if it fails, as if there were no row, where failures are read.
    *
    * `again` is for a row that it was asked for before: whoever reads failures has been told then.
    */
  protected def attempted(record: Record, again: Boolean = false)(compute: => Array[Byte]): Array[Byte] =
    try compute
    catch {
      case fault: Fault =>
        if (!again || !handles(fault)) fail(record, fault)
        null
    }

  /** Send a record that failed at this node to where failures are read; throw what is another's, or if none is. */
  protected def fail(record: Record, fault: Fault): Unit = {
    if (!handles(fault)) throw fault
    sendFailure(record.plain, fault.error, fault.told)
  }

  private lazy val failure = task.computes(node.failure.told)

  private def handles(fault: Fault): Boolean = node.readsFailures && fault.isOf(node.label)

  /** Send a record to where failures are read, and count it. */
  private def sendFailure(record: Record, error: String, message: String): Unit = {
    task.drops.add(node.name, Reason.Failed)
    task.computes.sides(error.getBytes(UTF_8), message.getBytes(UTF_8))
    sendToSideOutput(SideOutput.Failed, record.withValue(computed(failure, record, record.value)))
  }

  /** The way of a topic's records; those that have no time, or whose bytes do not fit, go to where the failures of their
    * source are read.
    */
  private def decoded(way: Way): Way = {
    val (key, value) = (task.computes(node.failure.decodedKey), task.computes(node.failure.decodedValue))
    record =>
      if (record.old != null) {
        val Seq(error, message) = Bytes.parts(record.old).map(new String(_, UTF_8)).toSeq
        sendFailure(record.withOld(null), error, message)
      } else {
        val pair =
          try (key.bytes(record), computed(value, record, record.value))
          catch { case fault: Fault => sendFailure(record, fault.error, fault.told); null }
        if (pair != null) way(record.withPair(pair._1, pair._2))
      }
  }

  /** The table that is the input at this position. */
  protected def table(position: Int): TableOperator = upstream(position).asInstanceOf[TableOperator]

  protected def function(name: String): Compute = task.computes(node.function(name))

  /** A function's result for a record whose value is another one. */
  protected def computed(function: Compute, record: Record, value: Array[Byte]): Array[Byte] = {
    task.computes.value(value)
    function.bytes(record)
  }
}

object Operator {
  /** The way of a change into an operator that only looks things up: it finds the new row when it asks for it. */
  val silent: Way = _ => ()

  def apply(node: NodeSpec, task: Task): Operator = {
    val made = of(node, task)
    node.parameters.complete()
    made
  }

  private def of(node: NodeSpec, task: Task): Operator = node.op match {
    case "aggregate" => new Aggregate(node, task)
    case "branch" | "errors" | "expired" | "late" | "merge" | "skipped" | "stream" | "through" => new Pass(node, task)
    case "cogroup" => new Cogroup(node, task)
    case "copy" => new Copy(node, task)
    case "versioned_copy" => new VersionedCopy(node, task)
    case "count" => new Count(node, task)
    case "drop_duplicates" => new DropDuplicates(node, task)
    case "filter" => new Filter(node, task)
    case "flat_map" | "map" => new MapPairs(node, task)
    case "flat_map_values" => new FlatMapValues(node, task)
    case "foreign_key_join" => new ForeignKeyJoin(node, task)
    case "foreign_key_match" => new ForeignKeyMatch(node, task)
    case "foreign_key_subscribe" => new ForeignKeySubscribe(node, task)
    case "map_values" => new MapValues(node, task)
    case "peek" => new PeekAt(node, task)
    case "reduce" => new Reduce(node, task)
    case "repartition" => new Repartition(node, task)
    case "select_key" => new SelectKey(node, task)
    case "session_windowed" => new SessionWindowed(node, task)
    case "sliding_windowed" => new SlidingWindowed(node, task)
    case "split" => new Split(node, task)
    case "stream_global_join" => new StreamGlobalJoin(node, task)
    case "stream_join" => new StreamJoin(node, task)
    case "stream_table_join" => new StreamTableJoin(node, task)
    case "suppress" => new Suppress(node, task)
    case "global_table" | "table" | "to_table" => new Table(node, task)
    case "table_aggregate" => new TableAggregate(node, task)
    case "table_filter" => new TableFilter(node, task)
    case "table_group_by" => new TableGroupBy(node, task)
    case "table_join" => new TableJoin(node, task)
    case "table_map_values" => new TableMapValues(node, task)
    case "table_reduce" => new TableReduce(node, task)
    case "timestamps" => new Timestamps(node, task)
    case "to" => new To(node, task)
    case "to_stream" => new ToStream(node, task)
    case "versioned_table" => new VersionedTable(node, task)
    case "windowed" => new TimeWindowed(node, task)
    case "windowed_cogroup" => new WindowedCogroup(node, task)
    case other => throw new SpecMismatch(s"the kernel has no operator '$other'")
  }
}
