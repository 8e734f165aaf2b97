package headrace.operators

import headrace.model.{Clock, Reason, Record, SideOutput}
import headrace.spec.NodeSpec
import headrace.stores.{Emission, Stored, WindowRow, WindowRows, WindowedKey}

/** One task's share of a windowed aggregation. Stream time is that of the records it has seen itself. */
abstract class Windowed(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  /** How long a chunk of the store is. */
  protected def chunkMs: Long

  /** From the time of a window to the last moment that lies in it. */
  protected def spanMs: Long

  protected def sessions: Boolean = false

  protected val fold: Fold = Fold.of(node, task.computes)
  protected val rows: WindowRows =
    task.windowRows(node.stores.head, node.long("kept_ms"), chunkMs, sessions, node.lookedUp)
  private val time = new StreamTime(task, node, () => idle(), () => math.min(nextClose, super.nextTime))
  private val isFinal = node.flag("final")
  private val lateness = node.long("lateness_ms")
  private val closed = task.memory.of(node.name, "closed", -1)
  private val closing = if (isFinal) rows.frontier(node.name, "next to close") else null
  private var emission = new Emission(node.everyChange, sendsOld, forward, log, silent = isFinal)
  private var watches = false

  rows.beforeFlush(() => emission.flush())

  protected final def streamTime: Long = time.ms

  /** Whether the window of a time still takes records. */
  protected final def open(time: Long): Boolean = streamTime - lateness - time <= spanMs

  override def connect(
      upstream: IndexedSeq[Operator], ways: Array[Way], sideOutputs: Map[SideOutput.Value, Array[Way]]): Unit = {
    super.connect(upstream, ways, sideOutputs)
    watches = this.sideOutputs(SideOutput.Expired).nonEmpty
    if (watches) rows.watch()
    tellForgotten()
  }

  /** Let stream time follow a record, and send on the windows that are over by that, before the record is folded. */
  protected final def advance(record: Record): Unit = {
    rows.makeRoom()
    time.see(record.ts)
    close(record)
  }

  /** Its windows go by its own records and its own silence. */
  override def onTime(ms: Long): Unit = ()

  override def nextTime: Long = Clock.Never

  private def idle(): Unit = {
    close(new Record(null, null, streamTime, null, 0, 0))
    super.onTime(streamTime)
  }

  private def nextClose: Long =
    if (isFinal && closing.next.value != Long.MaxValue) closing.next.value + spanMs + lateness + 1 else Clock.Never

  private def close(record: Record): Unit = if (isFinal) {
    val first = closed.value + 1
    val last = streamTime - lateness - spanMs - 1
    if (first <= last) {
      closed.value = last
      rows.passed(closing, first, last).foreach { row =>
        forward(record.changeOf(row.key, row.stored.value, null, row.stored.ts))
      }
    }
  }

  /** Store the new value of a window and send on the change.
    *
    * `old` is what Kafka Streams takes for the old value of a change: for the first of a window, what its folding began
    * with.
    */
  protected final def replace(record: Record, row: WindowRow, value: Array[Byte], old: Array[Byte], ts: Long): Unit = {
    val before = row.stored
    rows.put(row, value, ts)
    changed(record, row, value, old, ts, before)
    if (watches) sendForgotten(record)
  }

  /** A window has a new value: send it on, unless only the last one is wanted. */
  protected final def changed(
      record: Record, row: WindowRow, value: Array[Byte], old: Array[Byte], ts: Long, before: Stored): Unit = {
    emission.changed(row, record, value, old, ts, before)
    if (value == null) rows.tidy(row)
  }

  /** Send on changes by the way of a table that this is a part of. */
  def sendThrough(emission: Emission): Unit = {
    this.emission = emission
    tellForgotten()
  }

  private def tellForgotten(): Unit = if (emission.isLogged) rows.tellForgotten(emission.forget)

  override def get(key: Array[Byte]): Stored = {
    val (inner, time, start) = place(key)
    if (task.settling) rows.lingering(inner, time, start) else rows.get(inner, time, start)
  }

  override def sent(key: Array[Byte]): Stored = {
    val (inner, time, start) = place(key)
    emission.sent(rows.of(inner).find(time, start), get(key))
  }

  override def flush(): Unit = emission.flush()

  private def place(key: Array[Byte]): (Array[Byte], Long, Long) = {
    val start = WindowedKey.start(key)
    (WindowedKey.inner(key, sessions), if (sessions) WindowedKey.end(key) else start, start)
  }

  private def sendForgotten(record: Record): Unit = rows.takeForgotten().foreach { row =>
    sendToSideOutput(SideOutput.Expired, record.changeOf(row.key, row.stored.value, null, row.stored.ts))
  }
}

/** One task's share of an aggregation over tumbling or hopping windows, or over one that never ends. */
class TimeWindowed(node: NodeSpec, task: Task) extends Windowed(node, task) {
  private val size = node.long("size_ms")
  private val step = node.long("advance_ms")
  private val unlimited = node.has("start_ms")
  private val begin = node.longOr("start_ms", 0)
  private var taking = new Array[WindowRow](8)
  private var olds, values = new Array[Array[Byte]](8)

  /** Each start has a chunk of its own. */
  override protected def chunkMs: Long = node.long("advance_ms")

  override protected def spanMs: Long = size - 1

  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else {
      advance(record)
      val first = if (unlimited) begin else math.max(0, record.ts - size + step) / step * step
      val last = if (unlimited && record.ts >= begin) begin else record.ts
      val taken = folded(record, first, last)
      if (taken == 0) drop(if (first <= last) Reason.Late else Reason.Early, record)
      // All windows before the first is stored: a record that fails in one is in none.
      var i = 0
      while (i < taken) {
        val before = taking(i).stored
        replace(record, taking(i), values(i), olds(i), if (before == null) record.ts else math.max(record.ts, before.ts))
        i += 1
      }
    }

  /** Fold a record into the windows that take it, and say how many do.
    *
    * It is late once for each of the others, as Kafka Streams counts; if none takes it the last time is not counted yet.
    */
  private def folded(record: Record, first: Long, last: Long): Int = {
    val of = rows.of(record.key)
    var taken, late = 0
    var start = first
    while (start <= last && start >= first) { // behind the end of time come negative ones
      if (open(start) && rows.keeps(start)) {
        if (taken == taking.length) grow()
        val row = rows.row(of, start, start)
        val old = if (row.stored == null) fold.initial(record) else row.stored.value
        taking(taken) = row
        olds(taken) = old
        values(taken) = fold.add(record, old)
        taken += 1
      } else late += 1
      start += step
    }
    if (late > 0) Iterator.range(if (taken == 0) 1 else 0, late).foreach(_ => task.drops.add(node.name, Reason.Late))
    taken
  }

  private def grow(): Unit = {
    taking = java.util.Arrays.copyOf(taking, taking.length * 2)
    olds = java.util.Arrays.copyOf(olds, olds.length * 2)
    values = java.util.Arrays.copyOf(values, values.length * 2)
  }
}
