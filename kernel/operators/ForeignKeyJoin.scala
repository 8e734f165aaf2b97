package headrace.operators

import java.util.Arrays

import headrace.model.{Bytes, Reason, Record}
import headrace.spec.NodeSpec

/** Instruction of a left row to the row of a foreign key. */
object Ask {
  /** Take it off, no answer. */
  val Forget: Byte = 0
  /** Take it off, and answer that there is nothing. */
  val Leave: Byte = 1
  /** Put it on, and answer in any case: an earlier result may have to go. */
  val Answer: Byte = 2
  /** Put it on, and answer if there is a row. */
  val AnswerIfThere: Byte = 3
}

/** A left row at a foreign key: its key, and its value when it asked. */
final class Subscription(val key: Array[Byte], val value: Array[Byte], val ask: Byte) {
  def bytes: Array[Byte] = Bytes.packed(Array(ask), key, value)
}

object Subscription {
  def of(bytes: Array[Byte]): Subscription = {
    val Seq(ask, key, value) = Bytes.parts(bytes).toSeq
    new Subscription(key, value, ask(0))
  }
}

/** The right row for a left one that had this value when it asked. */
final class Answer(val asked: Array[Byte], val row: Array[Byte]) {
  def bytes: Array[Byte] = Bytes.packed(asked, row)
}

object Answer {
  def of(bytes: Array[Byte]): Answer = {
    val Seq(asked, row) = Bytes.parts(bytes).toSeq
    new Answer(asked, row)
  }
}

/** Sends the subscriptions of each change of the left table. */
class ForeignKeySubscribe(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val on = function("on")
  private val keepAll = node.flag("keep_all")
  private val versioned = node.flag("versioned")

  override def onRecord(record: Record): Unit =
    if (!record.latest && versioned) drop(Reason.Older, record)
    else if (record.old != null || record.value != null) {
      val old = attempted(record, again = true)(foreign(record, record.old))
      val now = foreign(record, record.value)
      if (keepAll) {
        if (differ(old, now)) send(record, old, Ask.Forget)
        send(record, now, Ask.Answer)
      } else if (now == null) {
        if (record.value != null) drop(Reason.NoKey, record)
        if (old != null) send(record, old, Ask.Leave)
      } else if (differ(old, now)) {
        send(record, old, Ask.Forget)
        send(record, now, Ask.Answer)
      } else send(record, now, Ask.AnswerIfThere)
    }

  private def foreign(record: Record, value: Array[Byte]): Array[Byte] =
    if (value == null) null else computed(on, record, value)

  private def differ(old: Array[Byte], now: Array[Byte]): Boolean = old != null && !Arrays.equals(old, now)

  private def send(record: Record, foreign: Array[Byte], ask: Byte): Unit =
    forward(record.changeOf(foreign, new Subscription(record.key, record.value, ask).bytes, null, record.ts))
}

/** Keeps the subscriptions of each foreign key, and answers them.
  *
  * In the cells stands the foreign key with its size, then the key of the left row: so those of one foreign key lie
  * together, in the order of their keys. The value is that of the left row when it asked.
  */
class ForeignKeyMatch(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val subscriptions = task.cachedCells(node.stores.head)
  private val versioned = node.flag("versioned")

  override def way(position: Int): Way = if (position == 0) onRecord(_) else onRow(_)

  override def onRecord(record: Record): Unit = {
    val subscription = Subscription.of(record.value)
    val row = if (record.key == null) null else table(1).sent(record.key)
    if (record.key != null) note(record.key, subscription)
    if (subscription.ask != Ask.Forget && (row != null || subscription.ask != Ask.AnswerIfThere)) {
      val value = if (row == null || subscription.ask == Ask.Leave) null else row.value
      val ts = if (row == null) record.ts else math.max(record.ts, row.ts)
      answer(record, subscription.key, subscription.value, value, ts)
    }
  }

  private def onRow(record: Record): Unit =
    if (!record.latest && versioned) drop(Reason.Older, record)
    else {
      val prefix = Bytes.sized(record.key)
      subscriptions.scan(prefix, Bytes.behind(prefix)).foreach { cell =>
        val key = Arrays.copyOfRange(cell.key, prefix.length, cell.key.length)
        answer(record, key, Bytes.parts(cell.value).next(), record.value, record.ts)
      }
    }

  private def note(foreign: Array[Byte], subscription: Subscription): Unit = {
    val place = Bytes.joined(Bytes.sized(foreign), subscription.key)
    if (subscription.ask == Ask.Forget || subscription.ask == Ask.Leave) subscriptions.remove(place)
    else subscriptions.put(place, Bytes.packed(subscription.value))
  }

  private def answer(record: Record, key: Array[Byte], asked: Array[Byte], row: Array[Byte], ts: Long): Unit =
    forward(record.changeOf(key, new Answer(asked, row).bytes, null, ts))
}

/** Joins each answer with the left row, if it is still the one that asked. */
class ForeignKeyJoin(node: NodeSpec, task: Task) extends KeptTable(node, task) {
  private val joiner = function("joiner")
  private val keepAll = node.flag("keep_all")

  override def way(position: Int): Way = if (position == 0) onRecord(_) else Operator.silent

  override def onRecord(record: Record): Unit = {
    val answer = Answer.of(record.value)
    val current = table(1).sent(record.key)
    val left = if (current == null) null else current.value
    if (!Arrays.equals(left, answer.asked)) drop(Reason.Outdated, record)
    else {
      val value = attempted(record.withValue(left))(joined(record, left, answer.row))
      val before = rows.get(record.key)
      rows.put(record, value, record.ts, if (before == null) null else before.value)
    }
  }

  private def joined(record: Record, left: Array[Byte], right: Array[Byte]): Array[Byte] =
    if (left == null || (right == null && !keepAll)) null
    else {
      task.computes.sides(left, right)
      joiner.bytes(record)
    }
}
