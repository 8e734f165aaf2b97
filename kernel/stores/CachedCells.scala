package headrace.stores

import java.util.TreeMap

import scala.jdk.CollectionConverters._

import headrace.model.{Bytes, BytesMap}

/** Cells with a write-back cache for the batch: each is read once and written once, however often it changes.
  *
  * If there are too many to be kept they are written early; nothing else changes by that.
  */
final class CachedCells(cells: Cells) extends Cells {
  import CachedCells._

  private val known = new BytesMap[Slot]
  private val changed = new TreeMap[Array[Byte], Slot](Bytes.order)

  override def get(key: Array[Byte]): Array[Byte] = slot(key).value

  override def put(key: Array[Byte], value: Array[Byte]): Unit = {
    require(value != null, "a cell is removed by another name")
    write(key, value)
  }

  override def remove(key: Array[Byte]): Unit = write(key, null)

  override def scan(from: Array[Byte], until: Array[Byte]): Iterator[Cell] = {
    val stored = cells.scan(from, until)
    val fresh = changed.subMap(from, until)
    if (fresh.isEmpty) stored
    else Cells.merged(stored, fresh.values.iterator.asScala.map(slot => new Cell(slot.key, slot.value)).toArray.iterator)
  }

  override def first(from: Array[Byte], until: Array[Byte]): Cell = {
    val fresh = changed.subMap(from, until).values.asScala.find(_.value != null).map(slot => new Cell(slot.key, slot.value)).orNull
    var stored = cells.first(from, if (fresh == null) until else fresh.key)
    while (stored != null && changed.containsKey(stored.key))
      stored = cells.first(Bytes.next(stored.key), if (fresh == null) until else fresh.key)
    if (stored != null) stored else fresh
  }

  override def removeRange(from: Array[Byte], until: Array[Byte]): Unit = {
    flush()
    cells.removeRange(from, until)
  }

  /** Write what has changed. */
  def flush(): Unit = {
    changed.values.asScala.foreach { slot =>
      if (slot.value == null) cells.remove(slot.key) else cells.put(slot.key, slot.value)
    }
    changed.clear()
    known.clear()
  }

  private def write(key: Array[Byte], value: Array[Byte]): Unit = {
    var found = known.get(key)
    if (found == null) {
      if (known.size >= Spill) flush()
      found = new Slot(key, null)
      known.put(key, found)
    }
    found.value = value
    if (!found.changed) {
      found.changed = true
      changed.put(found.key, found)
    }
  }

  private def slot(key: Array[Byte]): Slot = {
    var found = known.get(key)
    if (found == null) {
      if (known.size >= Spill) flush()
      found = new Slot(key, cells.get(key))
      known.put(key, found)
    }
    found
  }
}

object CachedCells {
  /** So many cells are kept before they are written. */
  private val Spill = 500000

  private final class Slot(val key: Array[Byte], var value: Array[Byte]) {
    var changed = false
  }
}
