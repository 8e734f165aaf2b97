package headrace.operators

import headrace.model.{Reason, Record}
import headrace.spec.NodeSpec
import headrace.stores.{Kept, Stored}

/** One task's share of a join of two tables: looks up the other side of each change. */
class TableJoin(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  private val joiner = function("joiner")
  /** Without a store of its own it remembers its rows if the tables of the application settle and old values are needed:
    * both sides may have moved on since, so that the old row cannot be computed from them any more.
    */
  private val remembers = node.flag("settles") && !node.flag("named") && sendsOld
  private val rows: Kept = if (node.flag("named") || remembers) kept(node.stores.head) else null
  /** Sides that a row cannot do without. */
  private val needs = Array(node.text("side") != "outer", node.text("side") == "inner")
  private val versioned = node.flags("versioned")

  override def way(position: Int): Way = on(position, _)

  override def onRecord(record: Record): Unit = on(0, record)

  private def on(position: Int, record: Record): Unit =
    if (!record.latest && versioned(position)) drop(Reason.Older, record)
    else {
      val other = table(1 - position).sent(record.key)
      val nothing = record.value == null && record.old == null
      if (other != null || !(needs(1 - position) || nothing)) send(position, record, other)
    }

  private def send(position: Int, record: Record, other: Stored): Unit = {
    val there = if (other == null) null else other.value
    val value = attempted(record)(joined(record, record.value, there, position))
    val old =
      if (remembers) { val before = rows.get(record.key); if (before == null) null else before.value }
      else if (sendsOld) attempted(record, again = true)(joined(record, record.old, there, position))
      else null
    val ts = if (other == null) record.ts else math.max(record.ts, other.ts)
    if (rows != null) rows.put(record, value, ts, old, record.latest)
    else forward(record.change(value, old, ts, record.latest))
  }

  override def get(key: Array[Byte]): Stored =
    if (rows != null) rows.get(key) else ofSides(key, table(0).get(key), table(1).get(key))

  override def sent(key: Array[Byte]): Stored =
    if (rows != null) rows.sent(key) else ofSides(key, table(0).sent(key), table(1).sent(key))

  private def ofSides(key: Array[Byte], left: Stored, right: Stored): Stored = {
    val ts = Seq(left, right).filter(_ != null).map(_.ts).maxOption.getOrElse(0L)
    val record = new Record(key, null, ts, null, 0, 0)
    val value = attempted(record, again = true) {
      row(record, if (left == null) null else left.value, if (right == null) null else right.value)
    }
    if (value == null) null else new Stored(value, ts)
  }

  override def flush(): Unit = if (rows != null) rows.flush()

  private def joined(record: Record, mine: Array[Byte], other: Array[Byte], position: Int): Array[Byte] =
    if (position == 0) row(record, mine, other) else row(record, other, mine)

  private def row(record: Record, left: Array[Byte], right: Array[Byte]): Array[Byte] =
    if ((left == null && (needs(0) || right == null)) || (right == null && needs(1))) null
    else {
      task.computes.sides(left, right)
      joiner.bytes(record)
    }
}
