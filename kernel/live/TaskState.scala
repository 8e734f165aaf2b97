package headrace.live

import headrace.model.Bytes
import headrace.stores.{Cell, Cells}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.TreeMap

import scala.jdk.CollectionConverters._

/** The state of all stages in one task: what is committed, in RocksDB, and in front of it what has changed since.
  *
  * A cell is written to RocksDB when the transaction that has it in the changelog is committed, and not before: nothing
  * has to be taken back after a crash.
  */
final class TaskState(val store: LocalStore) {
  private val changed = new TreeMap[Array[Byte], Cell](Bytes.order)

  /** The cells of this name. */
  def cells(name: String): Cells = new FrontCells(StateKey.prefix(name))

  /** How many cells have changed since the last commit. */
  def changes: Int = changed.size

  /** The cells that have changed since the last commit, those without a value removed. */
  def pending: Iterator[Cell] = changed.values.iterator.asScala

  /** They are committed; the changelog goes on at `offset`. */
  def committed(offset: Long): Unit = {
    store.write(pending, offset)
    changed.clear()
  }

  /** The cells whose keys begin with a prefix, which those who use them do not see. */
  private final class FrontCells(prefix: Array[Byte]) extends Cells {
    override def get(key: Array[Byte]): Array[Byte] = {
      val whole = Bytes.joined(prefix, key)
      val fresh = changed.get(whole)
      if (fresh != null) fresh.value else store.get(whole)
    }

    override def put(key: Array[Byte], value: Array[Byte]): Unit = change(Bytes.joined(prefix, key), value)

    override def remove(key: Array[Byte]): Unit = change(Bytes.joined(prefix, key), null)

    override def scan(from: Array[Byte], until: Array[Byte]): Iterator[Cell] = scan(from, until, Int.MaxValue)

    override def scan(from: Array[Byte], until: Array[Byte], most: Int): Iterator[Cell] = {
      val (begin, end) = (Bytes.joined(prefix, from), Bytes.joined(prefix, until))
      val fresh = if (Bytes.compare(begin, end) < 0) changed.subMap(begin, end) else new TreeMap[Array[Byte], Cell]
      // At most so many of those that are stored can have been removed since.
      val wanted = if (most == Int.MaxValue) most else math.min(most.toLong + fresh.size, Int.MaxValue).toInt
      val found = Cells.merged(store.scan(begin, end, wanted), fresh.values.iterator.asScala).take(most)
      found.map(cell => new Cell(cell.key.drop(prefix.length), cell.value)).toArray.iterator
    }

    /** One by one: the changelog is compacted by keys, and keeps nothing of a range. */
    override def removeRange(from: Array[Byte], until: Array[Byte]): Unit = scan(from, until).foreach(cell => remove(cell.key))

    private def change(key: Array[Byte], value: Array[Byte]): Unit = changed.put(key, new Cell(key, value))
  }
}

/** How cells of all names are told apart, in RocksDB and in changelogs: a version, the name with its size, the key. */
object StateKey {
  val Version: Byte = 1

  def prefix(name: String): Array[Byte] = {
    val bytes = name.getBytes(UTF_8)
    ByteBuffer.allocate(1 + java.lang.Short.BYTES + bytes.length).put(Version).putShort(bytes.length.toShort).put(bytes).array
  }
}
