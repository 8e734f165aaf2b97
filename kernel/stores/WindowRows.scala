package headrace.stores

import java.nio.ByteBuffer
import java.util.{ArrayList, Arrays, Comparator, TreeMap}

import headrace.model.{Bytes, BytesMap}

/** Frontier of closed windows that were looked at: those before `next`. */
final class Frontier(private[headrace] val next: Remembered) {
  /** All that the state has from `next` up to here is in memory. */
  private[headrace] var loaded = Long.MinValue
}

/** The windows of one windowed table: its store, with a write-back cache for the batch.
  *
  * What lies `retentionMs` or more behind the newest time that was put is gone, for reading and for good. A window is read
  * from the state once a batch and written once; one that is made and gone within a batch never gets there, nor is the
  * state asked for windows that are newer than all of it. If there are too many to be kept they are written early.
  *
  * The state has the chunk of the time, the key with its size, the time, and of sessions the start: what a key has at
  * times close to each other lies together, and a chunk that is gone is removed as a whole.
  */
final class WindowRows(
    cells: Cells, memory: Memory, name: String, retentionMs: Long, chunkMs: Long, sessions: Boolean, lingers: Boolean) {
  import WindowRows._

  private val newest = memory.of(name, "newest", Never)
  private val goneBefore = gone
  /** The state has nothing later. */
  private var newestStored = newest.value
  private val byKey = new BytesMap[KeyWindows]
  private val byTime = new TreeMap[java.lang.Long, ArrayList[WindowRow]]
  private val frontiers = new ArrayList[Frontier]
  private val flushes = new ArrayList[() => Unit]
  private var forget: (Array[Byte], Long) => Unit = _
  private var forgetting: Frontier = _
  private var passedBy = Array.empty[WindowRow]
  private var size = 0

  /** All times up to here are gone. */
  def gone: Long = if (newest.value == Never) Never else newest.value - retentionMs

  /** Whether a window at this time is within retention. */
  def keeps(time: Long): Boolean = time > gone

  /** The windows of a key, as far as they were asked for. */
  def of(key: Array[Byte]): KeyWindows = {
    val found = byKey.get(key)
    if (found != null) found
    else {
      val made = new KeyWindows(key, sessions)
      byKey.put(key, made)
      made
    }
  }

  /** Window of a key. */
  def row(of: KeyWindows, time: Long, start: Long): WindowRow = {
    val found = of.find(time, start)
    if (found != null) found
    else if (time > newestStored || (time >= of.from && time <= of.to)) add(of, time, start, null)
    else add(of, time, start, Stored.of(cells.get(place(of.key, time, start))))
  }

  /** Value and time of a window. */
  def get(key: Array[Byte], time: Long, start: Long): Stored =
    if (keeps(time)) row(of(key), time, start).stored else null

  /** Value and time of a window, even if it expired in this batch. */
  def lingering(key: Array[Byte], time: Long, start: Long): Stored =
    if (keeps(time)) row(of(key), time, start).stored
    else if (time <= goneBefore) null
    else {
      val found = of(key).find(time, start)
      if (found != null) found.stored else Stored.of(cells.get(place(key, time, start)))
    }

  /** Store the value of a window, null to remove it; what is too old for that by now is forgotten. */
  def put(row: WindowRow, value: Array[Byte], ts: Long): Unit = {
    if (row.time > newest.value) move(row.time)
    if (keeps(row.time)) {
      row.stored = if (value == null) null else new Stored(value, ts)
      row.changed = true
    }
  }

  /** A window that is not there need not be kept in memory, unless the state or somebody else has to be told. */
  def tidy(row: WindowRow): Unit = if (row.stored == null && !row.inState && row.turn == 0) remove(row)

  /** Windows of a key from one time to another, both inside, by time, then by start. */
  def fetch(of: KeyWindows, first: Long, last: Long): Array[WindowRow] = {
    val begin = math.max(first, gone + 1)
    load(of, begin, last)
    of.between(begin, last).filter(_.stored != null)
  }

  /** Frontier of a reader. */
  def frontier(who: String, what: String): Frontier = {
    val made = new Frontier(memory.of(who, what, 0))
    frontiers.add(made)
    made
  }

  /** Windows of all keys from one time to another, both inside, by time, start and the bytes of the key. */
  def passed(frontier: Frontier, first: Long, last: Long): Array[WindowRow] =
    if (last < frontier.next.value) NoRows
    else {
      load(frontier, math.max(first, frontier.next.value), last)
      val found = new ArrayList[WindowRow]
      byTime.subMap(first, true, last, true).values.forEach(_.forEach(row => if (row.stored != null) found.add(row)))
      val later = byTime.higherKey(last)
      val next = if (later == null) Long.MaxValue else later.longValue
      frontier.next.value = if (newestStored > frontier.loaded) math.min(next, frontier.loaded + 1) else next
      val rows = found.toArray(NoRows)
      Arrays.sort(rows, order)
      rows
    }

  /** Collects expired windows from now on, for `takeForgotten`. */
  def watch(): Unit = if (forgetting == null) forgetting = frontier(name, "next to forget")

  /** The windows that were forgotten since it was asked for last, in the order of `passed`. */
  def takeForgotten(): Array[WindowRow] = {
    val taken = passedBy
    passedBy = NoRows
    taken
  }

  /** At the end of a batch, call this with the key and the time of the value of each window that was there before the
    * batch and is forgotten now, one after the other: they may be many.
    */
  def tellForgotten(forget: (Array[Byte], Long) => Unit): Unit = this.forget = forget

  /** Callback before everything is written early. */
  def beforeFlush(call: () => Unit): Unit = flushes.add(call)

  /** Write early if there is too much. No row that was given out before may be used afterwards. */
  def makeRoom(): Unit = if (size > Spill) {
    flushes.forEach(_())
    write(if (lingers) goneBefore else gone)
    byKey.clear()
    byTime.clear()
    size = 0
    newestStored = newest.value
    frontiers.forEach(_.loaded = Never)
  }

  /** The batch is over. */
  def flush(): Unit = {
    write(gone)
    if (gone >= 0) {
      val from = if (goneBefore < 0) 0 else chunkOf(goneBefore + 1)
      if (forget != null && goneBefore < gone) forgotten(from)
      val until = chunkOf(gone + 1)
      if (from < until) cells.removeRange(Bytes.ofTime(from), Bytes.ofTime(until))
    }
  }

  /** Tell of what the state has that is gone by now, from the chunk of a time on. */
  private def forgotten(from: Long): Unit =
    cells.scan(Bytes.ofTime(from), Bytes.ofTime(chunkOf(gone) + chunkMs)).foreach { cell =>
      val size = ByteBuffer.wrap(cell.key).getInt(Bytes.LongBytes)
      val time = Bytes.time(cell.key, KeyPlace + size)
      if (time > goneBefore && time <= gone) {
        val key = Arrays.copyOfRange(cell.key, KeyPlace, KeyPlace + size)
        val windowed =
          if (sessions) WindowedKey.ofSession(key, time, Bytes.time(cell.key, KeyPlace + size + Bytes.LongBytes))
          else WindowedKey.ofStart(key, time)
        forget(windowed, ByteBuffer.wrap(cell.value).getLong)
      }
    }

  private def write(gone: Long): Unit = byKey.foreach(_.foreach { row =>
    if (row.changed && row.time > gone) {
      if (row.stored != null) cells.put(place(row.of.key, row.time, row.start), row.stored.bytes)
      else if (row.inState) cells.remove(place(row.of.key, row.time, row.start))
    }
  })

  private def move(time: Long): Unit = {
    // What another task had not told before its windows came here is told, too.
    if (forgetting != null) passedBy ++= passed(forgetting, math.min(gone + 1, forgetting.next.value), time - retentionMs)
    newest.value = time
    while (!byTime.isEmpty && byTime.firstKey <= gone) {
      val rows = byTime.pollFirstEntry.getValue
      rows.forEach { row =>
        row.isForgotten = true
        if (!lingers) remove(row)
      }
    }
  }

  private def remove(row: WindowRow): Unit = if (row.of.remove(row)) size -= 1

  private def add(of: KeyWindows, time: Long, start: Long, stored: Stored): WindowRow = {
    val row = new WindowRow(of, time, start)
    row.stored = stored
    row.inState = stored != null
    of.add(row)
    byTime.computeIfAbsent(time, _ => new ArrayList).add(row)
    var i = 0
    while (i < frontiers.size) {
      val next = frontiers.get(i).next
      if (time < next.value) next.value = time
      i += 1
    }
    size += 1
    row
  }

  /** Have all in memory that the state has of a key from one time to another. */
  private def load(of: KeyWindows, first: Long, last: Long): Unit = {
    val end = math.min(last, newestStored)
    if (first <= end && (first < of.from || end > of.to)) {
      val begin = chunkOf(first)
      val until = chunkOf(end)
      val key = Bytes.sized(of.key)
      Iterator.iterate(begin)(_ + chunkMs).takeWhile(_ <= until).foreach { chunk =>
        if (chunk < of.from || chunk + chunkMs - 1 > of.to) {
          val place = Bytes.joined(Bytes.ofTime(chunk), key)
          cells.scan(place, Bytes.behind(place)).foreach(take(_, gone + 1))
        }
      }
      val joins = of.from <= of.to && begin <= of.to + 1 && until + chunkMs >= of.from
      of.from = if (joins) math.min(of.from, begin) else begin
      of.to = if (joins) math.max(of.to, until + chunkMs - 1) else until + chunkMs - 1
    }
  }

  /** Loads windows of all keys, for readers of closed windows. */
  private def load(frontier: Frontier, first: Long, last: Long): Unit = {
    if (last > frontier.loaded) {
      val begin = math.max(first, frontier.loaded + 1)
      val until = chunkOf(last) + chunkMs
      if (begin <= newestStored) {
        cells.scan(Bytes.ofTime(chunkOf(begin)), Bytes.ofTime(until)).foreach(take(_, begin))
      }
      frontier.loaded = until - 1
    }
  }

  private def take(cell: Cell, first: Long): Unit = {
    val size = ByteBuffer.wrap(cell.key).getInt(Bytes.LongBytes)
    val time = Bytes.time(cell.key, KeyPlace + size)
    if (time >= first) {
      val of = this.of(Arrays.copyOfRange(cell.key, KeyPlace, KeyPlace + size))
      val start = if (sessions) Bytes.time(cell.key, KeyPlace + size + Bytes.LongBytes) else time
      if (of.find(time, start) == null) add(of, time, start, Stored.of(cell.value))
    }
  }

  private def place(key: Array[Byte], time: Long, start: Long): Array[Byte] = {
    val place = ByteBuffer.allocate(KeyPlace + key.length + (if (sessions) 2 else 1) * Bytes.LongBytes)
    place.put(Bytes.ofTime(chunkOf(time))).putInt(key.length).put(key).put(Bytes.ofTime(time))
    if (sessions) place.put(Bytes.ofTime(start))
    place.array
  }

  private def chunkOf(time: Long): Long = Math.floorDiv(time, chunkMs) * chunkMs
}

object WindowRows {
  private val Never = Long.MinValue
  private val KeyPlace = Bytes.LongBytes + Integer.BYTES
  private val NoRows = Array.empty[WindowRow]
  /** So many windows are cached before they are written. */
  private val Spill = 1000000

  private val order: Comparator[WindowRow] = (x, y) =>
    if (x.time != y.time) java.lang.Long.compare(x.time, y.time)
    else if (x.start != y.start) java.lang.Long.compare(x.start, y.start)
    else Bytes.compare(x.of.key, y.of.key)
}
