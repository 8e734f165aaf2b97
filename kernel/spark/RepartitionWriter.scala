package org.apache.spark.sql.headrace

import headrace.live.{RepartitionRecord, ThreadOutput}
import headrace.model.{Envelope, Groups}
import java.util

import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.spark.sql.catalyst.InternalRow

/** Sends rows to the tasks that are to take them: to others by a topic, to the same one as they are. */
final class RepartitionWriter(
    into: Repartitioning, columns: Seq[String], task: Int, tasks: Int, stayed: util.ArrayDeque[Envelope], output: ThreadOutput) {
  private val read = new EnvelopeReader(columns)
  private val taskOf: Map[Int, Int] = Groups.of(tasks).zipWithIndex.toMap

  def write(row: InternalRow): Unit = {
    val envelope = read(row)
    val stays = !into.entered(envelope.tag) || (into.staying(envelope.tag) && taskOf(envelope.group) == task)
    if (stays) stayed.add(envelope)
    else output.pass(new ProducerRecord(
      into.topic, Int.box(taskOf(envelope.group)), Long.box(math.max(0, envelope.ts)), null, RepartitionRecord.write(envelope)))
  }
}
