package headrace.live

import headrace.model.Bytes
import headrace.stores.Cell
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import scala.collection.mutable

import org.rocksdb._

/** The committed state of a task on the disk of its machine, a copy of what the changelog has.
  *
  * In it is the offset up to which it has the changelog, written with the cells: without a log of RocksDB's own it is
  * behind after a crash, but whole, and the rest is read from the changelog.
  *
  * @param directory where it is kept; null for a place that is deleted when it is closed
  */
final class LocalStore(directory: Path, changelog: String) extends AutoCloseable {
  import LocalStore._

  private val place = if (directory == null) Files.createTempDirectory("headrace-state") else Files.createDirectories(directory)
  private var db = opened()
  private var iterator: RocksIterator = _
  private var moved = false
  private var flushedNanos = System.nanoTime

  private var upTo = mark
  if (upTo < 0) clear()

  /** The offset from which the changelog is to be read; 0 for all of it. */
  def position: Long = upTo

  def get(key: Array[Byte]): Array[Byte] = db.get(key)

  def scan(from: Array[Byte], until: Array[Byte], most: Int): Iterator[Cell] = {
    if (iterator == null) iterator = db.newIterator()
    else if (moved) iterator.refresh()
    moved = false
    val found = new mutable.ArrayBuffer[Cell]
    iterator.seek(from)
    while (found.size < most && iterator.isValid && Bytes.compare(iterator.key, until) < 0) {
      found += new Cell(iterator.key, iterator.value)
      iterator.next()
    }
    iterator.status()
    found.iterator
  }

  /** Write cells, those without a value removed: the changelog goes on at `offset`. */
  def write(cells: Iterator[Cell], offset: Long): Unit = {
    val batch = new WriteBatch
    try {
      cells.foreach(cell => if (cell.value == null) batch.delete(cell.key) else batch.put(cell.key, cell.value))
      batch.put(Mark, marked(offset))
      db.write(Writing, batch)
    } finally batch.close()
    moved = true
    upTo = offset
    if (System.nanoTime - flushedNanos > FlushNanos) flush(wait = false)
  }

  override def close(): Unit = {
    if (iterator != null) iterator.close()
    if (directory != null) flush(wait = true)
    db.close()
    if (directory == null) delete()
  }

  private def flush(wait: Boolean): Unit = {
    val options = new FlushOptions().setWaitForFlush(wait).setAllowWriteStall(true)
    try db.flush(options) finally options.close()
    flushedNanos = System.nanoTime
  }

  /** Up to where the store has the changelog; -1 if that is not known, or so long ago that removals may be missed. */
  private def mark: Long = {
    val found = db.get(Mark)
    if (found == null) -1 else {
      val read = ByteBuffer.wrap(found)
      val (offset, ms) = (read.getLong, read.getLong)
      val name = new Array[Byte](read.remaining)
      read.get(name)
      val fresh = System.currentTimeMillis - ms < FreshMs && java.util.Arrays.equals(name, changelog.getBytes)
      if (fresh) offset else -1
    }
  }

  private def marked(offset: Long): Array[Byte] = {
    val name = changelog.getBytes
    ByteBuffer.allocate(2 * Bytes.LongBytes + name.length).putLong(offset).putLong(System.currentTimeMillis).put(name).array
  }

  private def delete(): Unit = Files.walk(place).sorted(java.util.Comparator.reverseOrder[Path]).forEach(one => Files.delete(one))

  private def opened(): RocksDB = RocksDB.open(options, place.toString)

  /** Begin with nothing. */
  def clear(): Unit = {
    db.close()
    delete()
    Files.createDirectories(place)
    db = opened()
    upTo = 0
  }
}

object LocalStore {
  RocksDB.loadLibrary()

  /** Before all keys of cells, which begin with a version. */
  private val Mark = Array[Byte](0)
  private val FlushNanos = 60000000000L

  /** Half of the time for which a changelog keeps what says that a cell is gone, unless its topic says otherwise. */
  val FreshMs: Long = 43200000L

  private val Writing = new WriteOptions().setDisableWAL(true)

  /** One memory for all stores of this process. */
  private val cache = new LRUCache(128L << 20)
  private val buffers = new WriteBufferManager(256L << 20, cache)

  private val options = new Options()
    .setCreateIfMissing(true)
    .setWriteBufferSize(32L << 20)
    .setWriteBufferManager(buffers)
    .setInfoLogLevel(InfoLogLevel.ERROR_LEVEL)
    .setKeepLogFileNum(1)
    .setTableFormatConfig(new BlockBasedTableConfig()
      .setBlockCache(cache).setCacheIndexAndFilterBlocks(true).setFilterPolicy(new BloomFilter(10)))
}
