package headrace.stores

import headrace.model.Bytes

/** A key and its value, both in bytes. */
final class Cell(val key: Array[Byte], val value: Array[Byte])

/** The state of one store in one task: bytes by bytes, in the order of the keys, which is that of unsigned bytes.
  *
  * What was put is there again in the next batch.
  */
trait Cells {
  def get(key: Array[Byte]): Array[Byte]

  def put(key: Array[Byte], value: Array[Byte]): Unit

  def remove(key: Array[Byte]): Unit

  /** The cells from one key up to another, which is not inside, as they are at this moment. */
  def scan(from: Array[Byte], until: Array[Byte]): Iterator[Cell]

  /** The first of them, so many at the most. */
  def scan(from: Array[Byte], until: Array[Byte], most: Int): Iterator[Cell] = scan(from, until).take(most)

  /** The first of them, null if there is none. */
  def first(from: Array[Byte], until: Array[Byte]): Cell = scan(from, until, 1).nextOption().orNull

  /** Remove all cells from one key up to another, which is not inside. */
  def removeRange(from: Array[Byte], until: Array[Byte]): Unit
}

object Cells {
  /** Cells as they are stored, with those that have changed since, in order; of these, those without a value are gone. */
  def merged(stored: Iterator[Cell], changed: Iterator[Cell]): Iterator[Cell] = {
    val (before, fresh) = (stored.buffered, changed.buffered)
    Iterator.continually {
      if (!fresh.hasNext) before.nextOption()
      else {
        val order = if (before.hasNext) Bytes.compare(before.head.key, fresh.head.key) else 1
        if (order == 0) before.next()
        Some(if (order < 0) before.next() else fresh.next())
      }
    }.takeWhile(_.isDefined).flatten.filter(_.value != null)
  }
}
