package org.apache.spark.sql.headrace

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
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

/** Some columns of envelopes as rows; each is good until the next. */
final class EnvelopeWriter(columns: Seq[String]) extends (Envelope => InternalRow) {
  private val places = columns.map(Envelope.columns.indexOf(_)).toArray
  private val row = new GenericInternalRow(places.length)
  private val projection = UnsafeProjection.create(places.map(Envelope.schema(_).dataType))

  override def apply(envelope: Envelope): InternalRow = {
    var i = 0
    while (i < places.length) {
      row.update(i, envelope.productElement(places(i)))
      i += 1
    }
    projection(row)
  }
}

object Envelope {
  val schema: StructType = Encoders.product[Envelope].schema

  val columns: Array[String] = schema.fieldNames
}
