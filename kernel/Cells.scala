package org.apache.spark.sql.headrace

import org.apache.spark.sql.streaming.MapState

/** The state of one store in one task: bytes by bytes. What was put is there again in the next batch. */
trait Cells {
  def get(key: Array[Byte]): Array[Byte]

  def put(key: Array[Byte], value: Array[Byte]): Unit

  def remove(key: Array[Byte]): Unit
}

/** Cells in Spark's state store. */
final class StateCells(state: MapState[Array[Byte], Array[Byte]]) extends Cells {
  override def get(key: Array[Byte]): Array[Byte] = state.getValue(key)

  override def put(key: Array[Byte], value: Array[Byte]): Unit = state.updateValue(key, value)

  override def remove(key: Array[Byte]): Unit = state.removeKey(key)
}
