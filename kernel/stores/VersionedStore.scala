package headrace.stores

import java.nio.ByteBuffer
import java.util.Arrays

import scala.collection.mutable

import headrace.model.{Bytes, BytesMap}

/** The versions of every key, each valid from its time until that of the next.
  *
  * Stream time is the newest time of all versions put. A version that is more than `historyMs` older is refused, and what
  * was valid before that is not known any more; the newest version of a key never expires.
  *
  * In the cells stand the versions of each key, and in others the keys by the time of their newest version, where there is
  * something to forget once that is older than the history: versions before it, or itself if it is a deletion.
  */
final class VersionedStore(cells: Cells, turns: Cells, memory: Memory, name: String, historyMs: Long) {
  import VersionedStore._

  private val streamTime = memory.of(name, "stream time", Never)
  private val near = new BytesMap[Versions]

  /** Store the version of a time, null for a deletion: whether it is accepted. */
  def put(key: Array[Byte], value: Array[Byte], ts: Long): Boolean =
    if (streamTime.value != Never && ts < oldest) false
    else {
      if (ts > streamTime.value) streamTime.value = ts
      val versions = of(key)
      versions.put(value, ts)
      versions.forget(oldest)
      true
    }

  /** Whether no version of a key is newer than a time. */
  def isNewest(key: Array[Byte], ts: Long): Boolean = {
    val all = of(key).all
    all.isEmpty || ts >= all.last.ts
  }

  /** Newest version of a key. */
  def get(key: Array[Byte]): Stored = of(key).all.lastOption.map(row).orNull

  /** The version of a key that was valid at a time. */
  def getAsOf(key: Array[Byte], ts: Long): Stored = {
    val versions = of(key)
    if (versions.all.isEmpty) null
    else if (versions.all.last.ts <= ts) row(versions.all.last)
    else if (ts < oldest) null
    else {
      val place = versions.firstAfter(ts)
      if (place == 0) null else row(versions.all(place - 1))
    }
  }

  /** The batch is over, or there is too much at hand. */
  def flush(): Unit = {
    near.foreach(versions => if (versions.isChanged) write(versions))
    near.clear()
    val due = turns.scan(Array.emptyByteArray, Bytes.ofTime(oldest))
    if (due.hasNext) {
      due.foreach(cell => forget(Arrays.copyOfRange(cell.key, Bytes.LongBytes, cell.key.length)))
      turns.removeRange(Array.emptyByteArray, Bytes.ofTime(oldest))
    }
  }

  private def oldest: Long = (if (streamTime.value == Never) 0 else streamTime.value) - historyMs

  private def of(key: Array[Byte]): Versions = {
    var versions = near.get(key)
    if (versions == null) {
      if (near.size >= Spill) flush()
      versions = read(key, cells.get(key))
      near.put(key, versions)
    }
    versions
  }

  private def write(versions: Versions): Unit = {
    val (key, all) = (versions.key, versions.all)
    if (all.isEmpty) cells.remove(key)
    else {
      cells.put(key, versions.bytes)
      if (all.length > 1 || all.last.value == null) turns.put(Bytes.timeAndKey(all.last.ts, key), Array.emptyByteArray)
    }
  }

  /** Forgets versions of a key beyond the history, if it has not changed since it got its turn. */
  private def forget(key: Array[Byte]): Unit = {
    val versions = read(key, cells.get(key))
    if (versions.all.nonEmpty && versions.all.last.ts < oldest) {
      if (versions.all.last.value == null) cells.remove(key)
      else {
        versions.forget(oldest)
        cells.put(key, versions.bytes)
      }
    }
  }
}

object VersionedStore {
  private val Never = Long.MinValue
  /** So many keys are at hand before they are written. */
  private val Spill = 500000
  private val Deletion = -1

  private def row(version: Stored): Stored = if (version.value == null) null else version

  private def read(key: Array[Byte], written: Array[Byte]): Versions = {
    val all = new mutable.ArrayBuffer[Stored](2)
    val bytes = ByteBuffer.wrap(if (written == null) Array.emptyByteArray else written)
    while (bytes.hasRemaining) {
      val (ts, size) = (bytes.getLong, bytes.getInt)
      val value = if (size == Deletion) null else new Array[Byte](size)
      if (value != null) bytes.get(value)
      all += new Stored(value, ts)
    }
    new Versions(key, all)
  }

  /** The versions of one key, by time. */
  private final class Versions(val key: Array[Byte], val all: mutable.ArrayBuffer[Stored]) {
    var isChanged = false

    def put(value: Array[Byte], ts: Long): Unit = {
      isChanged = true
      val place = firstAfter(ts)
      if (place == 0 || all(place - 1).ts != ts) all.insert(place, new Stored(value, ts))
      // As in Kafka Streams, a deletion in place of the row of the same time leaves no version there.
      else if (value == null && isNewestRowAlone(place - 1)) all.dropRightInPlace(1)
      // An earlier deletion of the same time stays below the row.
      else if (value != null && all(place - 1).value == null && place == all.length) all += new Stored(value, ts)
      else all(place - 1) = new Stored(value, ts)
    }

    /** Drop the versions that had a successor already when the history begins. */
    def forget(oldest: Long): Unit = all.dropInPlace(firstAfter(oldest) - 1)

    /** The place of the first version that is later than a time. */
    def firstAfter(ts: Long): Int = {
      var place = all.length
      while (place > 0 && all(place - 1).ts > ts) place -= 1
      place
    }

    def bytes: Array[Byte] = {
      val values = all.iterator.map(_.value).filter(_ != null)
      val written = ByteBuffer.allocate(all.length * (Bytes.LongBytes + Integer.BYTES) + values.map(_.length).sum)
      all.foreach { version =>
        written.putLong(version.ts).putInt(if (version.value == null) Deletion else version.value.length)
        if (version.value != null) written.put(version.value)
      }
      written.array
    }

    /** Whether a version is a row, the newest of its key, and follows on none. */
    private def isNewestRowAlone(place: Int): Boolean =
      place == all.length - 1 && all(place).value != null && (place == 0 || all(place - 1).value == null)
  }
}
