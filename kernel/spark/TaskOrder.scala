package org.apache.spark.sql.headrace

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** The order in which a task takes the records of a batch.
  *
  * Records of one queue stay in their order; among the queues the one whose head has the smallest timestamp is next, see
  * [[Turn]]. The order depends on the records alone, so a repeated batch gives the same results.
  */
object TaskOrder {
  /** Envelopes as rows, each good until the next. They wait in the memory that Spark has for that, or else on disk. */
  def sort(rows: Iterator[InternalRow], schema: StructType): Iterator[InternalRow] = {
    val Seq(turn, queue, seq) = Seq("turn", "queue", "seq").map(schema.fieldIndex)
    val order: Ordering[InternalRow] = (x, y) => {
      val turns = java.lang.Long.compare(x.getLong(turn), y.getLong(turn))
      if (turns != 0) turns
      else {
        val queues = java.lang.Long.compare(x.getLong(queue), y.getLong(queue))
        if (queues != 0) queues else java.lang.Long.compare(x.getLong(seq), y.getLong(seq))
      }
    }
    val turns = new PrefixComputer {
      private val found = new PrefixComputer.Prefix

      override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
        found.value = row.getLong(turn)
        found
      }
    }
    val page = SparkEnv.get.memoryManager.pageSizeBytes
    UnsafeExternalRowSorter.create(schema, order, PrefixComparators.LONG, turns, page, false)
      .sort(rows.asInstanceOf[Iterator[UnsafeRow]])
  }
}
