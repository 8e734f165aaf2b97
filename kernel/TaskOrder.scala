package org.apache.spark.sql.headrace

import java.util.{Arrays, Comparator}

/** The order in which a task takes the records of a batch.
  *
  * Records of one queue stay in their order; among the queues the one whose head has the smallest timestamp is next, see
  * [[Turn]]. The order depends on the records alone, so a repeated batch gives the same results.
  */
object TaskOrder {
  private val order: Comparator[Envelope] = (x, y) => {
    val turns = java.lang.Long.compare(x.turn, y.turn)
    if (turns != 0) turns
    else {
      val queues = java.lang.Long.compare(x.queue, y.queue)
      if (queues != 0) queues else java.lang.Long.compare(x.seq, y.seq)
    }
  }

  def sort(rows: Iterator[Envelope]): Iterator[Envelope] = {
    val records = rows.toArray
    Arrays.sort(records, order)
    records.iterator
  }
}
