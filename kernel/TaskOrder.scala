package org.apache.spark.sql.headrace

import java.util.{Arrays, Comparator, PriorityQueue}

/** The order in which a task takes the records of a batch.
  *
  * Records of one queue stay in their order; among the queues the one whose head has the smallest timestamp is next.
  * The order depends on the records alone, so a repeated batch gives the same results.
  */
object TaskOrder {
  private val byQueue: Comparator[Envelope] = (x, y) => {
    val tags = Integer.compare(x.tag, y.tag)
    if (tags != 0) tags
    else {
      val queues = java.lang.Long.compare(x.queue, y.queue)
      if (queues != 0) queues else java.lang.Long.compare(x.seq, y.seq)
    }
  }

  /** The unread part of one queue. */
  private final class Head(val records: Array[Envelope], var next: Int, val end: Int) {
    def record: Envelope = records(next)
  }

  private val byHead: Comparator[Head] = (x, y) => {
    val times = java.lang.Long.compare(x.record.ts, y.record.ts)
    if (times != 0) times else byQueue.compare(x.record, y.record)
  }

  def sort(rows: Iterator[Envelope]): Iterator[Envelope] = {
    val records = rows.toArray
    Arrays.sort(records, byQueue)
    val heads = queues(records)
    if (heads.size <= 1) records.iterator else merge(heads)
  }

  private def queues(records: Array[Envelope]): PriorityQueue[Head] = {
    val heads = new PriorityQueue[Head](byHead)
    var start = 0
    while (start < records.length) {
      val first = records(start)
      var end = start + 1
      while (end < records.length && records(end).tag == first.tag && records(end).queue == first.queue) end += 1
      heads.add(new Head(records, start, end))
      start = end
    }
    heads
  }

  private def merge(heads: PriorityQueue[Head]): Iterator[Envelope] = new Iterator[Envelope] {
    override def hasNext: Boolean = !heads.isEmpty

    override def next(): Envelope = {
      val head = heads.poll()
      val record = head.record
      head.next += 1
      if (head.next < head.end) heads.add(head)
      record
    }
  }
}
