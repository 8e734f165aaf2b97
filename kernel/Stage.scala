package org.apache.spark.sql.headrace

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TTLConfig, TimeMode, TimerValues}

/** All tasks of one stage: Spark calls it once a batch for each task that has records. */
class Stage(spec: StageSpec, functions: Array[Expression]) extends StatefulProcessor[Int, Envelope, Envelope] {
  @transient private var states: Map[String, Cells] = _
  @transient private var computes: Computes = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    states = spec.stores.map { store =>
      store -> new StateCells(getHandle.getMapState[Array[Byte], Array[Byte]](store, Encoders.BINARY, Encoders.BINARY, TTLConfig.NONE))
    }.toMap
  }

  override def handleInputRows(group: Int, rows: Iterator[Envelope], timers: TimerValues): Iterator[Envelope] = {
    if (computes == null) computes = Compute.borrow(spec.id, functions)
    new Task(group, spec, states, computes).run(TaskOrder.sort(rows))
  }

  override def close(): Unit = if (computes != null) Compute.giveBack(spec.id, computes)
}
