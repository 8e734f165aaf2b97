package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.streaming.{MapState, OutputMode, StatefulProcessor, TTLConfig, TimeMode, TimerValues}

/** All tasks of one stage: Spark calls it once a batch for each task that has records. */
class Stage(spec: StageSpec) extends StatefulProcessor[Int, Envelope, Envelope] {
  @transient private var states: Map[String, MapState[Array[Byte], Array[Byte]]] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    states = spec.stores.map { store =>
      store -> getHandle.getMapState[Array[Byte], Array[Byte]](store, Encoders.BINARY, Encoders.BINARY, TTLConfig.NONE)
    }.toMap

  override def handleInputRows(group: Int, rows: Iterator[Envelope], timers: TimerValues): Iterator[Envelope] =
    new Task(group, spec, states).run(TaskOrder.sort(rows))
}
