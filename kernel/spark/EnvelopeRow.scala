package org.apache.spark.sql.headrace

import headrace.model.Envelope
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow

/** Envelopes of rows whose columns have these names. */
final class EnvelopeReader(columns: Seq[String]) extends (InternalRow => Envelope) {
  private val Array(group, tag, key, value, old, latest, ts, turn, queue, seq, topic, headers, source, offset) =
    EnvelopeRow.Columns.map(columns.indexOf)

  override def apply(row: InternalRow): Envelope = Envelope(
    row.getInt(group), row.getInt(tag), bytes(row, key), bytes(row, value), bytes(row, old), row.getBoolean(latest),
    row.getLong(ts), row.getLong(turn), row.getLong(queue), row.getLong(seq), bytes(row, topic), bytes(row, headers),
    row.getLong(source), row.getLong(offset))

  private def bytes(row: InternalRow, column: Int): Array[Byte] = if (row.isNullAt(column)) null else row.getBinary(column)
}

/** An envelope as a row with columns of these names; nothing is copied, and each is good until the next. */
final class EnvelopeRow(columns: Seq[String]) extends BaseGenericInternalRow with (Envelope => InternalRow) {
  import EnvelopeRow._

  private val places = columns.map(Columns.indexOf(_)).toArray
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
  /** The names of all columns, in the order of the fields of an envelope. */
  val Columns: Array[String] = Encoders.product[Envelope].schema.fieldNames

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
