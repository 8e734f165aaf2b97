package org.apache.spark.sql.headrace

/** How a record comes into an operator. */
trait Way {
  def apply(record: Record): Unit
}

/** One task's share of a node. */
abstract class Operator(val node: NodeSpec, val task: Task) {
  /** How records come to those who read from it, in the order of their positions. */
  protected var ways: Array[Way] = Array.empty

  /** Whom it reads from, in the order of its inputs; null for one in another stage. */
  protected var upstream: IndexedSeq[Operator] = IndexedSeq.empty

  /** The ways to the streams that stand beside the result. */
  protected var beside: Map[Beside.Value, Array[Way]] = Map.empty

  def connect(upstream: IndexedSeq[Operator], ways: Array[Way], beside: Map[Beside.Value, Array[Way]]): Unit = {
    this.upstream = upstream
    this.ways = ways
    this.beside = beside.withDefaultValue(Array.empty)
  }

  /** How a record of the input at this position comes in; an operator with several inputs has several ways. */
  def way(position: Int): Way = onRecord(_)

  /** Handle one record, and send on what comes of it. */
  def onRecord(record: Record): Unit

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
  protected def drop(reason: Reason.Value, record: Record): Unit = {
    task.drops.add(node.name, reason)
    if (reason == Reason.Late) sendBeside(Beside.Late, record)
  }

  /** Send a record to the streams of a kind that stand beside the result. */
  protected def sendBeside(kind: Beside.Value, record: Record): Unit = beside(kind).foreach(_(record.plain))

  protected def function(name: String): Compute = task.computes(node.parameters.get(name).asInt)

  /** A function's result for a record whose value is another one. */
  protected def computed(function: Compute, record: Record, value: Array[Byte]): Array[Byte] = {
    task.computes.value(value)
    function.bytes(record)
  }
}

/** Why a record was dropped. */
object Reason extends Enumeration {
  val NoKey = Value("no key")
  val NoValue = Value("no value")
  val Late = Value("late")
  val Older = Value("older than the row")
  val NoTime = Value("no time")
  val NoPartition = Value("no partition")
  val Early = Value("before the window")
  val Duplicate = Value("duplicate")
  val Failed = Value("failed")
  val Outdated = Value("the row has changed since it asked")
}

/** What stands beside the result of an operator: what it had to leave out of it. */
object Beside extends Enumeration {
  val Late = Value("late")
  val Failed = Value("failed")
  val Expired = Value("expired")
}

object Operator {
  /** The way of a change into an operator that only looks things up: it finds the new row when it asks for it. */
  val silent: Way = _ => ()

  def apply(node: NodeSpec, task: Task): Operator = node.op match {
    case "aggregate" => new Aggregate(node, task)
    case "branch" | "expired" | "late" | "merge" => new Pass(node, task)
    case "cogroup" => new Cogroup(node, task)
    case "count" => new Count(node, task)
    case "filter" => new Filter(node, task)
    case "flat_map" | "map" => new MapPairs(node, task)
    case "flat_map_values" => new FlatMapValues(node, task)
    case "map_values" => new MapValues(node, task)
    case "peek" => new PeekAt(node, task)
    case "reduce" => new Reduce(node, task)
    case "select_key" => new SelectKey(node, task)
    case "split" => new Split(node, task)
    case "stream_table_join" => new StreamTableJoin(node, task)
    case "table" | "to_table" => new Table(node, task)
    case "table_aggregate" => new TableAggregate(node, task)
    case "table_filter" => new TableFilter(node, task)
    case "table_group_by" => new TableGroupBy(node, task)
    case "table_join" => new TableJoin(node, task)
    case "table_map_values" => new TableMapValues(node, task)
    case "table_reduce" => new TableReduce(node, task)
    case "to_stream" => new ToStream(node, task)
    case other => throw new IllegalArgumentException(s"the kernel has no operator '$other'")
  }
}
