package org.apache.spark.sql.headrace

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.streaming.MapState

/** One task for the length of a batch: takes its records one at a time, in order. */
class Task(group: Int, spec: StageSpec, states: Map[String, MapState[Array[Byte], Array[Byte]]]) {
  private val out = new ArrayBuffer[Envelope]
  private val operators = spec.nodes.map(node => Operator(node, new Store(states(node.store)), this))
  private val byTag = operators.map(operator => operator.node.input -> operator).toMap

  /** Everything the batch gives. A record on an edge that ends elsewhere passes through. */
  def run(records: Iterator[Envelope]): Iterator[Envelope] = {
    records.foreach { record =>
      byTag.get(record.tag) match {
        case Some(operator) => operator.onRecord(record)
        case None => forward(record)
      }
    }
    operators.foreach(_.flush())
    out.iterator
  }

  /** Send a record on to what follows this stage. */
  def forward(record: Envelope): Unit =
    out += record.copy(group = group, queue = group, seq = out.length)
}
