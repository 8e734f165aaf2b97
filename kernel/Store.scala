package org.apache.spark.sql.headrace

import java.nio.ByteBuffer
import java.util.{Comparator, HashMap}

import org.apache.spark.sql.streaming.MapState

/** A timestamped key-value store with a write-back cache for the batch.
  *
  * A key is read from Spark's state once a batch and written once, however often it changes in between. What is
  * stored is the timestamp (8 bytes) followed by the value.
  */
class Store(state: MapState[Array[Byte], Array[Byte]]) {
  import Store._

  private val cache = new HashMap[ByteBuffer, Entry]
  private var changes = 0L

  def get(key: Array[Byte]): Entry = {
    val wrapped = ByteBuffer.wrap(key)
    var entry = cache.get(wrapped)
    if (entry == null) {
      entry = load(key)
      cache.put(wrapped, entry)
    }
    entry
  }

  def put(entry: Entry, value: Array[Byte], ts: Long, headers: Array[Byte]): Unit = {
    entry.value = value
    entry.ts = ts
    entry.headers = headers
    changes += 1
    entry.changed = changes
  }

  /** Write every changed entry to the state, in the order of their last changes, and hand it to `settled`. */
  def flush(settled: Entry => Unit): Unit = {
    val dirty = cache.values.stream.filter(_.changed > 0).sorted(byChange).iterator
    while (dirty.hasNext) {
      val entry = dirty.next()
      state.updateValue(entry.key, ByteBuffer.allocate(TimestampBytes + entry.value.length).putLong(entry.ts).put(entry.value).array)
      settled(entry)
    }
    cache.clear()
  }

  private def load(key: Array[Byte]): Entry = {
    val entry = new Entry(key)
    val stored = state.getValue(key)
    if (stored != null) {
      entry.ts = ByteBuffer.wrap(stored).getLong
      entry.value = java.util.Arrays.copyOfRange(stored, TimestampBytes, stored.length)
    }
    entry
  }
}

object Store {
  private val TimestampBytes = 8
  private val byChange: Comparator[Entry] = (x, y) => java.lang.Long.compare(x.changed, y.changed)

  /** One key's value and timestamp, and the headers of the record that changed it last. */
  final class Entry(val key: Array[Byte]) {
    var value: Array[Byte] = _
    var ts: Long = Long.MinValue
    var headers: Array[Byte] = _
    /** When it was changed last in this batch: 1, 2, ...; 0 if it was only read. */
    var changed: Long = 0

    def exists: Boolean = value != null
  }
}
