package org.apache.spark.sql.execution.streaming.state.headrace

import headrace.model.Bytes
import headrace.stores.{Cell, Cells}
import org.apache.spark.sql.execution.streaming.state.{RocksDB, RocksDBIterator}

/** Cells in Spark's state store, as a column family of its own. Everything is written at once.
  *
  * It lives in this package because Spark shows an iterator that can be used again to nobody else.
  */
final class StateCells(db: RocksDB, family: String) extends Cells {
  db.createColFamilyIfAbsent(family, isInternal = false)

  private var iterator: RocksDBIterator = _
  /** Whether something was written that the iterator does not know. */
  private var moved = false

  override def get(key: Array[Byte]): Array[Byte] = db.get(key, family)

  override def put(key: Array[Byte], value: Array[Byte]): Unit = {
    db.put(key, value, family)
    moved = true
  }

  override def remove(key: Array[Byte]): Unit = {
    db.remove(key, family)
    moved = true
  }

  override def scan(from: Array[Byte], until: Array[Byte]): Iterator[Cell] = found(from, until).toArray.iterator

  override def scan(from: Array[Byte], until: Array[Byte], most: Int): Iterator[Cell] =
    found(from, until).take(most).toArray.iterator

  /** The cells one by one; good until something else is looked for. */
  private def found(from: Array[Byte], until: Array[Byte]): Iterator[Cell] = {
    if (iterator == null) iterator = db.reusableIterator(family)
    else if (moved) iterator.refresh()
    moved = false
    iterator.seek(from)
    val cells = Iterator.continually(iterator).takeWhile(_.hasNext).map(_.next()).map(pair => new Cell(pair.key, pair.value))
    cells.takeWhile(cell => Bytes.compare(cell.key, until) < 0)
  }

  override def removeRange(from: Array[Byte], until: Array[Byte]): Unit = {
    db.deleteRange(from, until, family)
    moved = true
  }
}
