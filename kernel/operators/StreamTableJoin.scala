package headrace.operators

import headrace.model.{Bytes, Clock, Reason, Record, RecordBytes}
import headrace.spec.NodeSpec
import headrace.stores.Front

/** Joins each record of the stream with the row of its key; with grace it waits for rows of its time that come later. */
class StreamTableJoin(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val joiner = function("joiner")
  private val keepAll = node.flag("keep_all")
  private val waits = node.has("grace_ms")
  private val grace = if (waits) node.long("grace_ms") else 0
  private val time = new StreamTime(task, node, () => release())
  /** By time, then by the bytes of the key, then by arrival. */
  private val waiting = if (!waits) null else {
    val newest = task.memory.of(node.name, "newest waiting", -1)
    new Front[Record](task.cells(node, "waiting"), newest, RecordBytes.read, RecordBytes.write)
  }
  private val arrived = task.memory.of(node.name, "arrived", 0)
  private val joinGuarded = guarded(join(_))

  override def way(position: Int): Way = if (position == 0) onRecord(_) else Operator.silent

  override def onRecord(record: Record): Unit =
    if (record.value == null) drop(Reason.NoValue, record)
    else if (record.key == null && !keepAll) drop(Reason.NoKey, record)
    else if (!waits || record.key == null) join(record)
    else {
      time.see(record.ts)
      if (record.ts < time.ms - grace) join(record) else let(record)
      release()
    }

  private def let(record: Record): Unit = {
    arrived.value += 1
    val place = Bytes.joined(Bytes.ofTime(record.ts), Bytes.ended(record.key), Bytes.ofTime(arrived.value))
    waiting.put(place, record)
  }

  override def onTime(ms: Long): Unit = {
    time.reach(ms)
    super.onTime(ms)
  }

  override def nextTime: Long = {
    val first = if (waits) waiting.first else null
    math.min(if (first == null) Clock.Never else Bytes.time(first, 0) + grace, super.nextTime)
  }

  private def release(): Unit =
    if (waits) waiting.takeBefore(Bytes.ofTime(time.ms - grace + 1)).foreach { case (_, record) => joinGuarded(record) }

  private def join(record: Record): Unit = {
    val row = if (record.key == null) null else table(1).getAsOf(record.key, record.ts)
    if (row != null || keepAll) {
      task.computes.sides(record.value, if (row == null) null else row.value)
      forward(record.withValue(joiner.bytes(record)))
    }
  }

  override def flush(): Unit = if (waits) waiting.flush()
}

/** Joins each record of the stream with the row that it names. */
class StreamGlobalJoin(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val on = function("on")
  private val joiner = function("joiner")
  private val keepAll = node.flag("keep_all")

  override def way(position: Int): Way = if (position == 0) onRecord(_) else Operator.silent

  override def onRecord(record: Record): Unit =
    if (record.value == null) drop(Reason.NoValue, record)
    else {
      val named = computed(on, record, record.value)
      if (named == null && !keepAll) drop(Reason.NoKey, record)
      else {
        val row = if (named == null) null else table(1).get(named)
        if (row != null || keepAll) {
          task.computes.sides(record.value, if (row == null) null else row.value)
          forward(record.withValue(joiner.bytes(record)))
        }
      }
    }
}
