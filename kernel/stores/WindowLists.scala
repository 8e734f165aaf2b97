package headrace.stores

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import scala.collection.mutable

import headrace.model.{Bytes, BytesMap}

/** A value of a key at a time. */
final class Held(val time: Long, val value: Array[Byte]) {
  /** Note of a reader; it is forgotten with the batch. */
  var note = 0
}

/** Values by key and time, for a while; a key keeps every value of one time, in the order they came.
  *
  * What lies `retentionMs` or more behind the newest time that was put is gone, for reading and for good; putting there
  * does nothing.
  *
  * In the cells stand the chunk of the time and the key with its size, and then all that the key has there: the number of
  * further pages, and values one behind the other. A page that is full is followed by one that has its number, too. So a
  * key is found without a search, and is read once a batch; a chunk that is gone is removed as a whole.
  */
final class WindowLists(cells: Cells, memory: Memory, name: String, retentionMs: Long) {
  import WindowLists._

  private val newest = memory.of(name, "newest", Never)
  private val near = new BytesMap[Chunk]
  private var nearBytes = 0L
  /** The newest time that is stored, and the times up to which all was gone then. */
  private var newestStored, goneStored = Never
  settled()

  /** Store a value under a key and a time, with a note on it. */
  def put(key: Array[Byte], time: Long, value: Array[Byte], note: Int = 0): Unit = {
    if (time > newest.value) newest.value = time
    if (time > gone) {
      val held = new Held(time, value)
      held.note = note
      val chunk = chunkAt(key, chunkOf(time))
      chunk.fresh += held
      if (chunk.all != null) insert(chunk.all, held)
      hold(held)
    }
  }

  /** Values of a key from one time to another, both inside, by time, then in the order they came. */
  def fetch(key: Array[Byte], first: Long, last: Long): Iterator[Held] = {
    val begin = math.max(first, gone + 1)
    val end = math.min(last, newest.value)
    if (newest.value == Never || begin > end) Iterator.empty
    else {
      val early = between(loaded(key, chunkOf(begin)), begin, end)
      if (chunkOf(begin) == chunkOf(end)) early else early ++ between(loaded(key, chunkOf(end)), begin, end)
    }
  }

  /** The batch is over, or there is too much at hand: write what came, and remove the chunks that are gone. */
  def flush(): Unit = {
    val begin = chunkOf(gone + 1)
    near.foreach(chunk => if (chunk.start >= begin && chunk.fresh.nonEmpty) write(chunk))
    if (newestStored != Never && begin > chunkOf(goneStored + 1)) cells.removeRange(Array.emptyByteArray, Bytes.ofTime(begin))
    near.clear()
    nearBytes = 0
    settled()
  }

  private def settled(): Unit = {
    newestStored = newest.value
    goneStored = gone
  }

  /** All times up to here are gone. */
  private def gone: Long = if (newest.value == Never) Never else newest.value - retentionMs

  /** As long as what is kept, so that never more than two chunks are asked for. */
  private def chunkOf(time: Long): Long = Math.floorDiv(time, retentionMs) * retentionMs

  private def chunkAt(key: Array[Byte], start: Long): Chunk = {
    val place = placeOf(start, key)
    var chunk = near.get(place)
    if (chunk == null) {
      if (nearBytes > Spill) flush()
      chunk = new Chunk(place, start)
      near.put(place, chunk)
      nearBytes += place.length + ChunkBytes
    }
    chunk
  }

  private def loaded(key: Array[Byte], start: Long): mutable.ArrayBuffer[Held] = {
    val chunk = chunkAt(key, start)
    if (chunk.all == null) {
      chunk.all = new mutable.ArrayBuffer
      if (start <= newestStored) read(chunk)
      chunk.fresh.foreach(insert(chunk.all, _))
    }
    chunk.all
  }

  private def read(chunk: Chunk): Unit = {
    val first = cells.get(chunk.place)
    val further = Iterator.range(1, pagesBehind(first) + 1).map(number => cells.get(chunk.page(number)))
    (Option(first).iterator ++ further).foreach(page => eachHeld(page) { held => insert(chunk.all, held); hold(held) })
  }

  private def hold(held: Held): Unit = nearBytes += held.value.length + HeldBytes

  /** Append what came to the last page of a key, and to new ones when that is full. */
  private def write(chunk: Chunk): Unit = {
    val first = if (chunk.start <= newestStored) cells.get(chunk.place) else null
    val before = pagesBehind(first)
    var last = before
    var page = new Page(if (last == 0) first else cells.get(chunk.page(last)))
    chunk.fresh.foreach { held =>
      if (page.size >= FullPage) {
        cells.put(chunk.page(last), page.toByteArray)
        page = new Page(null)
        last += 1
      }
      page.add(held)
    }
    cells.put(chunk.page(last), page.toByteArray)
    if (last != before) {
      val whole = cells.get(chunk.place)
      ByteBuffer.wrap(whole).putInt(0, last)
      cells.put(chunk.place, whole)
    }
  }
}

object WindowLists {
  private val Never = Long.MinValue
  /** A page of so many bytes is full. */
  private val FullPage = 16 * 1024
  /** So many bytes are at hand before they are written. */
  private val Spill = 128L * 1024 * 1024
  /** Memory that a value and a key take beside their bytes. */
  private val HeldBytes = 56
  private val ChunkBytes = 200

  /** Values of a key in a chunk, by time: those since the last write, and all once they were read. */
  private final class Chunk(val place: Array[Byte], val start: Long) {
    val fresh = new mutable.ArrayBuffer[Held](2)
    var all: mutable.ArrayBuffer[Held] = _

    /** The place of a page. */
    def page(number: Int): Array[Byte] =
      if (number == 0) place else Bytes.joined(place, ByteBuffer.allocate(Integer.BYTES).putInt(number).array)
  }

  private final class Page(stored: Array[Byte]) extends ByteArrayOutputStream {
    writeBytes(if (stored == null) new Array[Byte](Integer.BYTES) else stored)

    def add(held: Held): Unit = {
      writeBytes(ByteBuffer.allocate(Bytes.LongBytes + Integer.BYTES).putLong(held.time).putInt(held.value.length).array)
      writeBytes(held.value)
    }
  }

  private def placeOf(start: Long, key: Array[Byte]): Array[Byte] =
    ByteBuffer.allocate(Bytes.LongBytes + Integer.BYTES + key.length).put(Bytes.ofTime(start)).putInt(key.length).put(key).array

  private def pagesBehind(first: Array[Byte]): Int = if (first == null) 0 else ByteBuffer.wrap(first).getInt

  private def eachHeld(page: Array[Byte])(use: Held => Unit): Unit = {
    val bytes = ByteBuffer.wrap(page).position(Integer.BYTES)
    while (bytes.hasRemaining) {
      val time = bytes.getLong
      val value = new Array[Byte](bytes.getInt)
      bytes.get(value)
      use(new Held(time, value))
    }
  }

  private def insert(all: mutable.ArrayBuffer[Held], held: Held): Unit =
    if (all.isEmpty || all.last.time <= held.time) all += held else all.insert(firstAfter(all, held.time), held)

  private def between(all: mutable.ArrayBuffer[Held], first: Long, last: Long): Iterator[Held] =
    if (all.isEmpty) Iterator.empty
    else all.view.slice(firstAfter(all, first - 1), firstAfter(all, last)).iterator

  /** The place of the first value that is later than a time. */
  private def firstAfter(all: mutable.ArrayBuffer[Held], time: Long): Int = {
    var (low, high) = (0, all.length)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (all(middle).time <= time) low = middle + 1 else high = middle
    }
    low
  }
}
