package headrace.stores

import java.util.TreeMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import headrace.model.Bytes

/** Time-ordered queue of entries, whose keys begin with a time; they are taken from the front.
  *
  * Those in front are at hand, read from the cells some at a time. What was put is written when the batch is over, if it
  * is still there then; or early, if there is too much of it. `newest` remembers the newest time that was put.
  */
final class Front[A](cells: Cells, newest: Remembered, read: Array[Byte] => A, write: A => Array[Byte]) {
  import Front._

  private val near = new TreeMap[Array[Byte], Slot[A]](Bytes.order)
  /** All stored cells before this key are at hand. */
  private var known = Array.emptyByteArray
  /** No cells are stored from this key on. */
  private var end = behindNewest
  /** All stored cells before this key were taken. */
  private var taken = Array.emptyByteArray

  def get(key: Array[Byte]): Option[A] = {
    var slot = near.get(key)
    if (slot == null && !isKnown(key) && Bytes.compare(key, end) < 0) {
      val stored = cells.get(key)
      if (stored != null) slot = keep(key, stored)
    }
    if (slot == null) None else Some(slot.value)
  }

  /** Put something under a key; if there may be something stored already, it has to be got before. */
  def put(key: Array[Byte], value: A): Unit = {
    val slot = near.get(key)
    near.put(key, new Slot(value, isStored = slot != null && slot.isStored, isChanged = true))
    newest.value = math.max(newest.value, Bytes.time(key, 0))
    if (near.size > Spill) flush()
  }

  def remove(key: Array[Byte]): Unit = if (get(key).isDefined && near.remove(key).isStored) cells.remove(key)

  /** Take everything in front of a key. */
  def takeBefore(key: Array[Byte]): Seq[(Array[Byte], A)] = {
    while (!isKnown(key) && !isAllKnown) load()
    val head = near.headMap(key)
    if (head.isEmpty) Nil
    else {
      val found = head.asScala.iterator.map { case (place, slot) => (place, slot.value) }.to(mutable.ArrayBuffer)
      if (head.values.asScala.exists(_.isStored)) taken = key
      head.clear()
      found.toSeq
    }
  }

  /** The first key, null if there is none. */
  def first: Array[Byte] = {
    while (!isAllKnown && (near.isEmpty || !isKnown(near.firstKey))) load()
    if (near.isEmpty) null else near.firstKey
  }

  /** The first key that is not before another, null if there is none. */
  def firstFrom(key: Array[Byte]): Array[Byte] = {
    val here = near.ceilingKey(key)
    if (isAllKnown || (here != null && isKnown(here))) here
    else {
      val there = cells.scan(behind(key), end, 1).map(_.key).nextOption().orNull
      if (here == null || (there != null && Bytes.compare(there, here) < 0)) there else here
    }
  }

  /** The last key, null if there is none: looks further and further back. */
  def last: Array[Byte] = if (first == null) null else {
    val begin = Bytes.time(first, 0)
    val begins = Iterator.iterate(1L)(_ * 4).map(width => Bytes.ofTime(math.max(newest.value - width, begin)))
    begins.map(lastFrom).find(_ != null).get
  }

  /** The batch is over, or there is too much at hand. */
  def flush(): Unit = {
    if (taken.nonEmpty) cells.removeRange(Array.emptyByteArray, taken)
    near.forEach((key, slot) => if (slot.isChanged) cells.put(key, write(slot.value)))
    near.clear()
    known = Array.emptyByteArray
    end = behindNewest
    taken = Array.emptyByteArray
  }

  private def behindNewest: Array[Byte] = Bytes.ofTime(newest.value + 1)

  private def isKnown(key: Array[Byte]): Boolean = Bytes.compare(key, known) < 0

  private def isAllKnown: Boolean = Bytes.compare(known, end) >= 0

  private def behind(key: Array[Byte]): Array[Byte] = if (isKnown(key)) known else key

  private def lastFrom(key: Array[Byte]): Array[Byte] = {
    val here = if (near.isEmpty || Bytes.compare(near.lastKey, key) < 0) null else near.lastKey
    if (isAllKnown) here
    else {
      val there = cells.scan(behind(key), end).map(_.key).toSeq.lastOption.orNull
      if (here == null || (there != null && Bytes.compare(there, here) > 0)) there else here
    }
  }

  private def load(): Unit = {
    val found = cells.scan(known, end, Slice).toArray
    found.foreach(cell => if (!near.containsKey(cell.key)) keep(cell.key, cell.value))
    known = if (found.length < Slice) end else Bytes.next(found.last.key)
  }

  private def keep(key: Array[Byte], stored: Array[Byte]): Slot[A] = {
    val slot = new Slot(read(stored), isStored = true, isChanged = false)
    near.put(key, slot)
    slot
  }
}

object Front {
  /** So many cells are read at a time. */
  private val Slice = 256
  /** So many things are at hand before they are written. */
  private val Spill = 200000

  private final class Slot[A](val value: A, val isStored: Boolean, val isChanged: Boolean)
}
