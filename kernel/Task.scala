package org.apache.spark.sql.headrace

import scala.collection.mutable

/** One task for the length of a batch: takes its records one at a time, and pushes each through all of its operators
  * before the next.
  */
final class Task(group: Int, spec: StageSpec, val cells: String => Cells, val computes: Computes) {
  val drops = new Drops
  private val out = new mutable.ArrayDeque[Envelope]
  private val operators = spec.nodes.map(Operator(_, this))
  private val entries = spec.entries.map { case (tag, places) => tag -> ways(places) }
  private val turns = new Turns
  private var sent = 0L

  operators.foreach { operator =>
    val exits = operator.node.exits.map(tag => (record => leave(tag, record)): Way)
    val upstream = operator.node.inputs.map(input => if (input < 0) null else operators(input)).toIndexedSeq
    operator.connect(upstream, ways(operator.node.readers) ++ exits)
  }

  /** Everything the batch gives, made as it is taken. A record on an edge that ends elsewhere passes by. */
  def run(records: Iterator[Envelope]): Iterator[Envelope] = new Iterator[Envelope] {
    private var over = false

    override def hasNext: Boolean = {
      while (out.isEmpty && !over) if (records.hasNext) handle(records.next()) else finish()
      out.nonEmpty
    }

    override def next(): Envelope = {
      if (!hasNext) throw new NoSuchElementException
      out.removeHead()
    }

    private def finish(): Unit = {
      operators.foreach(_.flush())
      over = true
    }
  }

  private def handle(envelope: Envelope): Unit = entries.get(envelope.tag) match {
    case None => out += envelope
    case Some(ways) =>
      val record = envelope.record
      ways.foreach(_(record))
  }

  private def ways(places: Seq[(Int, Int)]): Array[Way] =
    places.map { case (operator, position) => operators(operator).way(position) }.toArray

  private def leave(tag: Int, record: Record): Unit = {
    out += Envelope(group, tag, record.key, record.value, record.old, record.latest, record.ts,
      turns.next(tag, record.ts), group, sent, null, record.headers, record.source, record.offset)
    sent += 1
  }
}

/** How many records each node dropped in this batch, and why. */
final class Drops {
  private val counts = mutable.Map.empty[(String, Reason.Value), Long].withDefaultValue(0)

  def add(node: String, reason: Reason.Value): Unit = counts((node, reason)) += 1
}
