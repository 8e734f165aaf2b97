package headrace.operators

import scala.collection.mutable

import headrace.functions.Computes
import headrace.model.{Clock, Envelope, Leaving, Reason, Record, Tally}
import headrace.spec.{Into, NodeSpec, Out, StageSpec, WaySpec}
import headrace.stores.{CachedCells, Cells, Memory, TaskTime, WindowLists, WindowRows}

/** One task for the length of a batch, or of a run: takes its records one at a time, and pushes each through all of its operators
  * before the next.
  */
final class Task(group: Int, spec: StageSpec, state: String => Cells, val computes: Computes, tally: Tally, val clock: Clock) {
  val drops = new Drops
  val memory = new Memory(state(Task.Memory))
  private val times = mutable.Map.empty[String, TaskTime]
  private val windows = mutable.LinkedHashMap.empty[String, WindowRows]
  private val cached = mutable.LinkedHashMap.empty[String, CachedCells]
  private val out = new mutable.ArrayDeque[Envelope]
  private val leaving = new Leaving(group)
  private val operators = spec.nodes.map(Operator(_, this))
  /** The ways in, by tag; null for a tag that passes by. */
  private val entries = {
    val ways = new Array[Array[Way]](spec.entries.keys.maxOption.fold(0)(_ + 1))
    spec.entries.foreach { case (tag, into) => ways(tag) = moving(tag) ++ this.ways(into) }
    ways
  }
  private var taken, told = 0L
  private var over = false

  /** Whether the changes of the batch are on their way that tables have held back. */
  def settling: Boolean = over

  operators.foreach { operator =>
    val node = operator.node
    val upstream = node.inputs.map(input => if (input < 0) null else operators(input)).toIndexedSeq
    operator.connect(upstream, ways(node.ways), node.sideOutputs.map { case (kind, specs) => kind -> ways(specs) })
    operator.lead(node.ways.collect { case Into(reader, _) => operators(reader) })
  }

  /** Everything the batch gives, made as it is taken. A record on an edge that ends elsewhere passes by. */
  def run(records: Iterator[Envelope]): Iterator[Envelope] = new Iterator[Envelope] {
    private var finished = false

    override def hasNext: Boolean = {
      while (out.isEmpty && !finished) if (records.hasNext) handle(records.next()) else finish()
      out.nonEmpty
    }

    override def next(): Envelope = {
      if (!hasNext) throw new NoSuchElementException
      out.removeHead()
    }

    private def finish(): Unit = {
      settle()
      if (clock.followed) tally.due(spec.number.toString, clock.due)
      finished = true
    }
  }

  /** Everything that records give which come for as long as the task runs: `hasNext` is false for now, not for good. */
  def live(records: Iterator[Envelope]): Iterator[Envelope] = new Iterator[Envelope] {
    override def hasNext: Boolean = {
      while (out.isEmpty && records.hasNext) handle(records.next())
      out.nonEmpty
    }

    override def next(): Envelope = {
      if (!hasNext) throw new NoSuchElementException
      out.removeHead()
    }
  }

  /** A batch is over, or an interval between two commits: what was held back and cached until then goes on, and out. */
  def settle(): Unit = {
    leaving.atTheEnd()
    clock.tick()
    over = true
    operators.foreach(_.flush())
    windows.values.foreach(_.flush())
    cached.values.foreach(_.flush())
    memory.flush()
    over = false
    report()
  }

  /** The state of a store, for those who cache it themselves. */
  def cells(store: String): Cells = state(Task.Store + store)

  /** The state of what a node remembers beside its stores. */
  def cells(node: NodeSpec, what: String): Cells = state(s"${Task.Memory}.${node.name}/$what")

  /** The state of a store behind a cache for the batch; all who ask for one store share it. */
  def cachedCells(store: String): Cells = cached.getOrElseUpdate(store, new CachedCells(cells(store)))

  /** The time of a name, which those share whose records move it. */
  def time(name: String): TaskTime = times.getOrElseUpdate(name, new TaskTime(memory, name))

  /** The store of a name that keeps every value of a key and a time. */
  def windowLists(store: String, retentionMs: Long): WindowLists =
    new WindowLists(cells(store), memory, store, retentionMs)

  /** The windows of a table with a store of this name; all who ask for it share them. */
  def windowRows(store: String, retentionMs: Long, chunkMs: Long, sessions: Boolean, lingers: Boolean): WindowRows =
    windows.getOrElseUpdate(
      store, new WindowRows(cells(store), memory, store, retentionMs, chunkMs, sessions, lingers))

  /** Send a record out of the stage, to a topic that was chosen for it. */
  def leave(way: Out, record: Record, topic: Array[Byte]): Unit =
    out += leaving.envelope(way.tag, way.going, record, topic)

  private def handle(envelope: Envelope): Unit = {
    val ways = if (envelope.tag < entries.length) entries(envelope.tag) else null
    if (ways == null) out += envelope
    else {
      taken += 1
      val record = envelope.record
      leaving.behind(envelope.turn, envelope.queue)
      var i = 0
      while (i < ways.length) {
        ways(i)(record)
        i += 1
      }
    }
  }

  private def report(): Unit = {
    drops.report(tally)
    tally.count(Tally.In, spec.number.toString, "", taken)
    tally.count(Tally.Out, spec.number.toString, "", leaving.sent - told)
    taken = 0
    told = leaving.sent
  }

  /** Records that move the time of their task do so first. */
  private def moving(tag: Int): Array[Way] =
    spec.times.get(tag).map(time).map(moved => (record => moved.see(record.ts)): Way).toArray

  private def ways(specs: Seq[WaySpec]): Array[Way] = specs.map {
    case Into(operator, position) => operators(operator).entry(position)
    case way: Out => (record => leave(way, record, null)): Way
  }.toArray
}

object Task {
  /** How column families are named: stores begin with this, so that nothing else is called the same. */
  private val Store = "store."
  private val Memory = "memory"
}

/** How many records each node dropped since the last report, and why. */
final class Drops {
  private val counts = mutable.Map.empty[(String, Reason.Value), Long].withDefaultValue(0)

  def add(node: String, reason: Reason.Value): Unit = counts((node, reason)) += 1

  def report(tally: Tally): Unit = {
    counts.foreach { case ((node, reason), number) => tally.count(Tally.Drop, node, reason.toString, number) }
    counts.clear()
  }
}
