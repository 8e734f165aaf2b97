package org.apache.spark.sql.headrace

import headrace.kafka.SinkOptions
import headrace.model.{Envelope, Tally}
import headrace.spec.StageSpec
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TimeMode, TimerValues}

/** A stage as Spark plans it; [[PutStages]] puts the one in its place that runs. */
class Stage(val spec: StageSpec, val functions: Array[Expression], val tally: Tally, val sink: SinkOptions)
    extends StatefulProcessor[Int, Envelope, Envelope] {
  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = ()

  override def handleInputRows(group: Int, rows: Iterator[Envelope], timers: TimerValues): Iterator[Envelope] =
    throw new IllegalStateException(s"this session runs without spark.sql.extensions=${classOf[Extensions].getName}")
}
