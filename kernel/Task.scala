package org.apache.spark.sql.headrace

import scala.collection.mutable

/** One task for the length of a batch: takes its records one at a time, and pushes each through all of its operators
  * before the next.
  */
final class Task(group: Int, spec: StageSpec, state: String => Cells, val computes: Computes) {
  val drops = new Drops
  val memory = new Memory(state(Task.Memory))
  private val windows = mutable.LinkedHashMap.empty[String, WindowStore]
  private val cached = mutable.LinkedHashMap.empty[String, CachedCells]
  private val out = new mutable.ArrayDeque[Envelope]
  private val operators = spec.nodes.map(Operator(_, this))
  /** The ways in, by tag; null for a tag that passes by. */
  private val entries = {
    val ways = new Array[Array[Way]](spec.entries.keys.maxOption.fold(0)(_ + 1))
    spec.entries.foreach { case (tag, places) => ways(tag) = this.ways(places) }
    ways
  }
  private val turns = new Turns
  private var sent = 0L

  operators.foreach { operator =>
    val node = operator.node
    val upstream = node.inputs.map(input => if (input < 0) null else operators(input)).toIndexedSeq
    val beside = node.beside.map { case (kind, (readers, exits)) => kind -> allWays(readers, exits) }
    operator.connect(upstream, allWays(node.readers, node.exits), beside)
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
      windows.values.foreach(_.expire())
      cached.values.foreach(_.flush())
      memory.flush()
      over = true
    }
  }

  /** The state of a store, for those who cache it themselves. */
  def cells(store: String): Cells = state(Task.Store + store)

  /** The state of a store behind a cache for the batch; all who ask for one store share it. */
  def cachedCells(store: String): Cells = cached.getOrElseUpdate(store, new CachedCells(cells(store)))

  /** The window store of a name; all who ask for it share it. */
  def windowStore(store: String, retentionMs: Long, chunkMs: Long, duplicates: Boolean = false): WindowStore =
    windows.getOrElseUpdate(
      store, new WindowStore(cachedCells(store), memory, store, retentionMs, chunkMs, duplicates))

  private def handle(envelope: Envelope): Unit = {
    val ways = if (envelope.tag < entries.length) entries(envelope.tag) else null
    if (ways == null) out += envelope
    else {
      val record = envelope.record
      var i = 0
      while (i < ways.length) {
        ways(i)(record)
        i += 1
      }
    }
  }

  private def allWays(readers: Seq[(Int, Int)], exits: Seq[Int]): Array[Way] =
    ways(readers) ++ exits.map(tag => (record => leave(tag, record)): Way)

  private def ways(places: Seq[(Int, Int)]): Array[Way] =
    places.map { case (operator, position) => operators(operator).way(position) }.toArray

  private def leave(tag: Int, record: Record): Unit = {
    out += Envelope(group, tag, record.key, record.value, record.old, record.latest, record.ts,
      turns.next(tag, record.ts), group, sent, null, record.headers, record.source, record.offset)
    sent += 1
  }
}

object Task {
  /** How column families are named: stores begin with this, so that nothing else is called the same. */
  private val Store = "store."
  private val Memory = "memory"
}

/** How many records each node dropped in this batch, and why. */
final class Drops {
  private val counts = mutable.Map.empty[(String, Reason.Value), Long].withDefaultValue(0)

  def add(node: String, reason: Reason.Value): Unit = counts((node, reason)) += 1
}
