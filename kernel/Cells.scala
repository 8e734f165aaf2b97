package org.apache.spark.sql.headrace

import java.nio.ByteBuffer

import org.apache.spark.sql.streaming.MapState

/** The state of one store in one task: bytes by bytes. What was put is there again in the next batch. */
trait Cells {
  def get(key: Array[Byte]): Array[Byte]

  def put(key: Array[Byte], value: Array[Byte]): Unit

  def remove(key: Array[Byte]): Unit

  /** A part of these cells that has keys of its own. */
  def part(number: Byte): Cells = new Part(this, number)
}

/** Cells in Spark's state store. */
final class StateCells(state: MapState[Array[Byte], Array[Byte]]) extends Cells {
  override def get(key: Array[Byte]): Array[Byte] = state.getValue(key)

  override def put(key: Array[Byte], value: Array[Byte]): Unit = state.updateValue(key, value)

  override def remove(key: Array[Byte]): Unit = state.removeKey(key)
}

private final class Part(whole: Cells, number: Byte) extends Cells {
  override def get(key: Array[Byte]): Array[Byte] = whole.get(inside(key))

  override def put(key: Array[Byte], value: Array[Byte]): Unit = whole.put(inside(key), value)

  override def remove(key: Array[Byte]): Unit = whole.remove(inside(key))

  private def inside(key: Array[Byte]): Array[Byte] =
    ByteBuffer.allocate(1 + key.length).put(number).put(key).array
}
