package headrace.operators

import headrace.model.{Reason, Record}
import headrace.spec.NodeSpec
import headrace.stores.WindowRow

/** One task's share of an aggregation over sessions. */
class SessionWindowed(node: NodeSpec, task: Task) extends Windowed(node, task) {
  private val gap = node.long("gap_ms")

  override protected def sessions: Boolean = true

  override protected def chunkMs: Long = math.max(math.max(1, node.long("gap_ms")), node.long("kept_ms") / 8)

  override protected def spanMs: Long = 0

  override def onRecord(record: Record): Unit =
    if (record.key == null) drop(Reason.NoKey, record)
    else {
      advance(record)
      val of = rows.of(record.key)
      val absorbed = rows.fetch(of, record.ts - gap, Long.MaxValue).filter(_.start <= record.ts + gap)
      var start, end = record.ts
      var aggregate = fold.initial(record)
      absorbed.foreach { other =>
        aggregate = fold.merge(record, aggregate, other.stored.value)
        start = math.min(start, other.start)
        end = math.max(end, other.time)
      }
      if (!open(end) || !rows.keeps(end)) drop(Reason.Late, record)
      else {
        val value = fold.add(record, aggregate) // before anything is stored: it may fail
        if (start != record.ts || end != record.ts) absorbed.foreach(remove(record, _))
        replace(record, rows.row(of, end, start), value, null, end)
      }
    }

  private def remove(record: Record, row: WindowRow): Unit = {
    val before = row.stored
    rows.put(row, null, row.time)
    changed(record, row, null, before.value, row.time, before)
  }
}
