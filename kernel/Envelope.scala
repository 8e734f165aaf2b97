package org.apache.spark.sql.headrace

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow
import org.apache.spark.sql.types.StructType

/** A record on its way between tasks.
  *
  * @param group   the grouping integer of the task that gets it, see [[Groups]]
  * @param tag     the edge of the plan it travels on
  * @param key     key in the bytes of its natural serde
  * @param value   value in the same form; of a change of a table the new one
  * @param old     of a change the old value
  * @param latest  of a change of a versioned table, whether no later one came before it
  * @param ts      event time in milliseconds
  * @param turn    when it is taken, see [[Turn]]
  * @param queue   where it waits; at equal turns the smaller one goes first
  * @param seq     its place in that queue
  * @param topic   the topic an expression chose for it, if it goes to a sink
  * @param headers packed headers, null if it has none
  * @param source  the topic and partition it comes from, as the planner numbers them
  * @param offset  its place there
  */
case class Envelope(
    group: Int,
    tag: Int,
    key: Array[Byte],
    value: Array[Byte],
    old: Array[Byte],
    latest: Boolean,
    ts: Long,
    turn: Long,
    queue: Long,
    seq: Long,
    topic: Array[Byte],
    headers: Array[Byte],
    source: Long,
    offset: Long) {

  def record: Record = new Record(key, value, ts, headers, source, offset, old, latest)
}

/** Envelopes of rows whose columns have these names. */
final class EnvelopeReader(columns: Seq[String]) extends (InternalRow => Envelope) {
  private val Array(group, tag, key, value, old, latest, ts, turn, queue, seq, topic, headers, source, offset) =
    Envelope.columns.map(columns.indexOf)

  override def apply(row: InternalRow): Envelope = Envelope(
    row.getInt(group), row.getInt(tag), bytes(row, key), bytes(row, value), bytes(row, old), row.getBoolean(latest),
    row.getLong(ts), row.getLong(turn), row.getLong(queue), row.getLong(seq), bytes(row, topic), bytes(row, headers),
    row.getLong(source), row.getLong(offset))

  private def bytes(row: InternalRow, column: Int): Array[Byte] = if (row.isNullAt(column)) null else row.getBinary(column)
}

/** An envelope as a row with columns of these names; nothing is copied, and each is good until the next. */
final class EnvelopeRow(columns: Seq[String]) extends BaseGenericInternalRow with (Envelope => InternalRow) {
  import EnvelopeRow._

  private val places = columns.map(Envelope.columns.indexOf(_)).toArray
  private var envelope: Envelope = _

  override def apply(envelope: Envelope): InternalRow = {
    this.envelope = envelope
    this
  }

  override def numFields: Int = places.length

  override def isNullAt(column: Int): Boolean = places(column) match {
    case Key => envelope.key == null
    case Value => envelope.value == null
    case Old => envelope.old == null
    case Topic => envelope.topic == null
    case Headers => envelope.headers == null
    case _ => false
  }

  override def getInt(column: Int): Int = if (places(column) == Group) envelope.group else envelope.tag

  override def getBoolean(column: Int): Boolean = envelope.latest

  override def getLong(column: Int): Long = places(column) match {
    case Ts => envelope.ts
    case Turn => envelope.turn
    case Queue => envelope.queue
    case Seq => envelope.seq
    case Source => envelope.source
    case Offset => envelope.offset
  }

  override def getBinary(column: Int): Array[Byte] = places(column) match {
    case Key => envelope.key
    case Value => envelope.value
    case Old => envelope.old
    case Topic => envelope.topic
    case Headers => envelope.headers
  }

  override protected def genericGet(column: Int): Any = envelope.productElement(places(column))

  override def setNullAt(column: Int): Unit = throw new UnsupportedOperationException
  override def update(column: Int, value: Any): Unit = throw new UnsupportedOperationException
}

object EnvelopeRow {
  private final val Group = 0
  private final val Key = 2
  private final val Value = 3
  private final val Old = 4
  private final val Ts = 6
  private final val Turn = 7
  private final val Queue = 8
  private final val Seq = 9
  private final val Topic = 10
  private final val Headers = 11
  private final val Source = 12
  private final val Offset = 13
}

object Envelope {
  val schema: StructType = Encoders.product[Envelope].schema

  val columns: Array[String] = schema.fieldNames
}
