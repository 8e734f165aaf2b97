package headrace.operators

import headrace.model.{Clock, Fault, Reason, Record}
import headrace.spec.NodeSpec
import headrace.stores.{Held, WindowLists}

/** One task's share of a join of two streams. Both sides share stream time, which is the latest of all records seen. */
class StreamJoin(node: NodeSpec, task: Task) extends Operator(node, task) {
  import StreamJoin._

  private val joiner = function("joiner")
  private val grace = node.long("grace_ms")
  /** Distance of a partner before and after a record, by the side of the record. */
  private val before = Array(node.long("before_ms"), node.long("after_ms"))
  private val after = before.reverse
  private val keeps = node.flags("keeps").toArray
  private val keepsAny = keeps.contains(true)
  private val oneStore = node.flag("one_store")
  private val oneStream = node.flag("one_stream")
  private val stores = node.stores.distinct.map(task.windowLists(_, node.long("retention_ms")))
  private val unmatched = if (keepsAny) new Unmatched(node, task) else null
  private val time = new StreamTime(task, node, () => idle(), () => nextResult)
  /** Whether the record at hand is in a result by the way of the left side, when both sides are one stream. */
  private var joinedLeft = false

  override def way(position: Int): Way = on(position, _)

  override def onRecord(record: Record): Unit = on(Left, record)

  private def on(side: Int, record: Record): Unit = {
    time.see(record.ts)
    if (record.value == null) drop(Reason.NoValue, record)
    else if (record.key != null) join(side, record)
    else if (keeps(side)) send(side, record, record.key, record.value, null, record.ts)
    else drop(Reason.NoKey, record)
  }

  private def join(side: Int, record: Record): Unit = {
    if (keepsAny && record.ts == time.ms) sendExpired(side, record)
    val (first, last) = (math.max(0, record.ts - before(side)), math.max(0, record.ts + after(side)))
    // With one store, a record is put there once: after the way of the left side, before that of the right.
    if (oneStore && side == Right) stores.head.put(record.key, record.ts, record.value)
    val others = storeOf(1 - side).fetch(record.key, first, last)
    val matched = others.hasNext
    others.foreach { other =>
      meet(1 - side, record.key, other)
      send(side, record, record.key, record.value, other.value, math.max(record.ts, other.time))
    }
    if (!matched && keeps(side)) {
      if (last < time.ms) send(side, record, record.key, record.value, null, record.ts)
      else unmatched.add(record.ts, side, record.key, record.value)
    } else if (!matched && record.ts + after(side) + grace < time.ms) dropLate(side, record)
    joinedLeft = side == Left && (matched || keeps(side))
    // Afterwards: a record does not meet itself on the way of the left side when both sides are one stream.
    if (!oneStore) storeOf(side).put(record.key, record.ts, record.value, if (matched) met(side) else 0)
  }

  private def storeOf(side: Int): WindowLists = if (oneStore) stores.head else stores(side)

  /** A record of a side that may wait for a partner has one: that is told once. */
  private def meet(side: Int, key: Array[Byte], other: Held): Unit =
    if (keeps(side) && (other.note & met(side)) == 0) {
      other.note |= met(side)
      unmatched.remove(other.time, side, key)
    }

  /** Drop a record that has no partner; when both sides are one stream, once it has none by either way. */
  private def dropLate(side: Int, record: Record): Unit =
    if (!oneStream || (side == Right && !joinedLeft)) drop(Reason.Late, record)

  /** Ignores stream time of operators upstream: a join goes by its own records and its own silence. */
  override def onTime(ms: Long): Unit = ()

  override def nextTime: Long = Clock.Never

  private def nextResult: Long = {
    val waiting = keepsAny && unmatched.earliest != Long.MaxValue
    math.min(if (waiting) unmatched.earliest + after.min + grace + 1 else Clock.Never, super.nextTime)
  }

  private def idle(): Unit = {
    if (keepsAny) Seq(Left, Right).foreach(sendExpired(_, new Record(null, null, time.ms, null, 0, 0)))
    super.onTime(time.ms)
  }

  /** Send on the records that stayed without a partner and can find none any more; `record` moved time on. */
  private def sendExpired(side: Int, record: Record): Unit =
    if (unmatched.earliest < time.ms - grace - after(side)) {
      val due = after.map(time.ms - grace - _)
      unmatched.expired(due).foreach(one => send(one.side, record, one.key, one.value, null, one.ts))
    }

  private def send(side: Int, record: Record, key: Array[Byte], value: Array[Byte], other: Array[Byte], ts: Long): Unit = {
    if (side == Left) task.computes.sides(value, other) else task.computes.sides(other, value)
    // A pair that fails is left out alone: the record may have other partners.
    val joined =
      try joiner.bytes(if (key eq record.key) record else record.withKey(key))
      catch { case fault: Fault => return fail(alone(record, key, value, if (other == null) ts else record.ts), fault) }
    forward(alone(record, key, joined, ts))
  }

  private def alone(record: Record, key: Array[Byte], value: Array[Byte], ts: Long): Record =
    new Record(key, value, ts, record.headers, record.source, record.offset)

  override def flush(): Unit = {
    stores.foreach(_.flush())
    if (keepsAny) unmatched.flush()
  }
}

object StreamJoin {
  private val Left = 0
  private val Right = 1

  /** Mark of a record that has met a partner as one of a side. */
  private def met(side: Int): Int = 1 << side
}
