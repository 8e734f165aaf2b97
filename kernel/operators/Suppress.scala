package headrace.operators

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Comparator, PriorityQueue}

import headrace.model.{Bytes, BytesMap, Clock, Fault, FaultKind, Record, RecordBytes}
import headrace.spec.NodeSpec
import headrace.stores.{Cell, Stored, WindowedKey}

/** One task's share of a suppression.
  *
  * The state has each key's turn, and under turn and key the change itself: in the order in which they leave. What was
  * touched in this batch, or may leave soon, is in memory.
  */
class Suppress(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  import Suppress._

  private val isFinal = node.flag("final")
  private val waitMs = node.long("wait_ms")
  private val mostRecords = node.longOr("max_records", -1)
  private val mostBytes = node.longOr("max_bytes", -1)
  private val bounded = mostRecords >= 0 || mostBytes >= 0
  /** Size of the windows, to know their ends; less than 0 for sessions, whose keys have them. */
  private val windowMs = node.longOr("window_ms", -1)
  private val settled = !node.everyChange
  private val failWhenFull = node.flag("fail_when_full")
  private val where = function("where")
  private val cells = task.cells(node, "held back")
  private val time = new StreamTime(task, node, () => idle(), () => nextTime)
  private val records = task.memory.of(node.name, "records held back", 0)
  private val bytes = task.memory.of(node.name, "bytes held back", 0)
  /** No turn in the state is earlier, but for those that are in memory. */
  private val stored = task.memory.of(node.name, "next turn", Long.MaxValue)
  private val known = new BytesMap[Held]
  private val turns = new PriorityQueue[Held](byTurn)

  override def onRecord(record: Record): Unit = {
    if (known.size >= Spill) write()
    time.see(record.ts)
    val held = of(record.key)
    if (held.record == null) {
      held.turn = if (!isFinal) record.ts else endOf(record.key)
      held.prior = record.old
      records.value += 1
      turns.add(held)
    }
    measure(held, record)
    held.record = record
    held.changed = true
    releaseDue()
    if (bounded) makeRoom(record)
  }

  override def onTime(ms: Long): Unit = time.reach(ms)

  override def nextTime: Long = {
    val turn = if (turns.isEmpty) stored.value else math.min(stored.value, turns.peek.turn)
    math.min(if (turn == Long.MaxValue) Clock.Never else turn + waitMs, super.nextTime)
  }

  private def idle(): Unit = {
    releaseDue()
    super.onTime(time.ms)
  }

  override def get(key: Array[Byte]): Stored = {
    val held = of(key)
    if (held.record == null) table(0).get(key) else held.before
  }

  override def sent(key: Array[Byte]): Stored = {
    val held = of(key)
    if (held.record == null) table(0).sent(key) else held.before
  }

  override def flush(): Unit = write()

  private def endOf(key: Array[Byte]): Long =
    if (windowMs < 0) WindowedKey.end(key) else WindowedKey.start(key) + windowMs

  private def measure(held: Held, record: Record): Unit = {
    val size = record.key.length + (if (record.value == null) 0 else record.value.length)
    bytes.value += size - held.size
    held.size = size
  }

  private def makeRoom(record: Record): Unit = {
    var most = exceeded
    while (most != null) {
      if (failWhenFull) {
        throw new Fault(FaultKind.BufferFull, node.label, most, new String(where.bytes(record), UTF_8), null)
      }
      load(if (turns.isEmpty) stored.value else math.min(stored.value, turns.peek.turn))
      release()
      most = exceeded
    }
  }

  /** The bound that is exceeded, in words. */
  private def exceeded: String =
    if (mostRecords >= 0 && records.value > mostRecords) s"$mostRecords results"
    else if (mostBytes >= 0 && bytes.value > mostBytes) s"$mostBytes bytes of results"
    else null

  private def releaseDue(): Unit = {
    val due = time.ms - waitMs
    load(due)
    while (!turns.isEmpty && turns.peek.turn <= due) release()
  }

  private def release(): Unit = {
    val held = turns.poll()
    val record = held.record
    records.value -= 1
    bytes.value -= held.size
    held.record = null
    held.size = 0
    held.changed = true
    if (record.value != null || !isFinal) {
      forward(if (settled) record.change(record.value, held.prior, record.ts) else record)
    }
  }

  private def of(key: Array[Byte]): Held = {
    var held = known.get(key)
    if (held == null) {
      val turn = cells.get(Bytes.joined(ByKey, key))
      held = if (turn == null) new Held(key) else read(key, Bytes.time(turn, 0), cells.get(Bytes.joined(ByTurn, turn, key)))
      known.put(key, held)
    }
    held
  }

  /** Have in memory what leaves up to a turn. */
  private def load(turn: Long): Unit = if (turn >= stored.value) {
    val until = Bytes.joined(ByTurn, Bytes.ofTime(turn + 1))
    cells.scan(ByTurn, until).foreach { cell =>
      val key = java.util.Arrays.copyOfRange(cell.key, ByTurn.length + Bytes.LongBytes, cell.key.length)
      if (known.get(key) == null) known.put(key, read(key, Bytes.time(cell.key, ByTurn.length), cell.value))
    }
    val next = cells.scan(until, ByKey, most = 1)
    stored.value = if (next.hasNext) Bytes.time(next.next().key, ByTurn.length) else Long.MaxValue
  }

  private def read(key: Array[Byte], turn: Long, value: Array[Byte]): Held = {
    val held = new Held(key)
    held.turn = turn
    held.storedTurn = turn
    held.read(value)
    turns.add(held)
    held
  }

  /** Write what has changed, and begin with nothing in memory. */
  private def write(): Unit = {
    known.foreach { held =>
      if (held.changed) {
        val moved = held.record == null || held.storedTurn != held.turn
        if (held.storedTurn != NoTurn && moved) {
          cells.remove(Bytes.joined(ByTurn, Bytes.ofTime(held.storedTurn), held.key))
          if (held.record == null) cells.remove(Bytes.joined(ByKey, held.key))
        }
        if (held.record != null) {
          val turn = Bytes.ofTime(held.turn)
          if (moved) cells.put(Bytes.joined(ByKey, held.key), turn)
          cells.put(Bytes.joined(ByTurn, turn, held.key), held.written)
        }
      }
    }
    if (!turns.isEmpty) stored.value = math.min(stored.value, turns.peek.turn)
    known.clear()
    turns.clear()
  }
}

object Suppress {
  private val ByTurn = Array[Byte](0)
  private val ByKey = Array[Byte](1)
  private val NoTurn = Long.MinValue
  private val UnknownTime = -1L
  /** So many keys are kept in memory. */
  private val Spill = 500000

  /** Index of the key in the key of a cell. */
  def keyPlace(place: Array[Byte]): Int = if (place(0) == ByKey(0)) ByKey.length else ByTurn.length + Bytes.LongBytes

  /** The bytes of key and value that a cell holds back, less than 0 if it only has the turn of a key. */
  def sizeOf(cell: Cell): Int = if (cell.key(0) == ByKey(0)) -1 else {
    val held = new Held(Array.emptyByteArray)
    held.read(cell.value)
    held.size
  }

  private val byTurn: Comparator[Held] = (x, y) =>
    if (x.turn != y.turn) java.lang.Long.compare(x.turn, y.turn) else Bytes.compare(x.key, y.key)

  /** The change of a key that is held back, if one is. */
  private final class Held(val key: Array[Byte]) {
    var record: Record = _
    /** The value of the key that was sent on last. */
    var prior: Array[Byte] = _
    /** The bytes of key and value. */
    var size = 0
    /** When it leaves, and when it would leave by the state. */
    var turn, storedTurn = NoTurn
    var changed = false

    def before: Stored = if (prior == null) null else new Stored(prior, UnknownTime)

    def written: Array[Byte] = {
      val rest = RecordBytes.write(record)
      val first = if (prior == null) Array.emptyByteArray else prior
      val bytes = ByteBuffer.allocate(Integer.BYTES + first.length + rest.length)
      bytes.putInt(if (prior == null) -1 else prior.length).put(first).put(rest).array
    }

    def read(written: Array[Byte]): Unit = {
      val bytes = ByteBuffer.wrap(written)
      val length = bytes.getInt
      if (length >= 0) {
        prior = new Array[Byte](length)
        bytes.get(prior)
      }
      val rest = new Array[Byte](bytes.remaining)
      bytes.get(rest)
      record = RecordBytes.read(rest)
      size = record.key.length + (if (record.value == null) 0 else record.value.length)
    }
  }
}
