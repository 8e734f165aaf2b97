package headrace.stores

import headrace.model.Bytes

/** Finds the keys that were not written for `ttlMs`, by the times they were written with.
  *
  * In the cells stands for each key the time when it is due, then the key. All that is due by the time of the task was
  * taken; but keys of another task may have come here that was not as far: `earliest` says from when on.
  */
final class Expiry(ttlMs: Long, time: TaskTime, turns: Cells, earliest: Remembered) {
  /** Nothing is due before. */
  private var next = Long.MinValue

  /** Call for each key that expires from now on, with the time when it was due: by that time, then by bytes. */
  def start(over: (Array[Byte], Long) => Unit): Unit = time.add { (since, now) =>
    if (now >= next) {
      val from = math.min(since + 1, earliest.value)
      earliest.value = Long.MaxValue
      turns.scan(Bytes.ofTime(from), Bytes.ofTime(now + 1)).foreach { cell =>
        over(java.util.Arrays.copyOfRange(cell.key, Bytes.LongBytes, cell.key.length), Bytes.time(cell.key, 0))
      }
      val following = turns.first(Bytes.ofTime(now + 1), Bytes.ofTime(Long.MaxValue))
      next = if (following == null) Long.MaxValue else Bytes.time(following.key, 0)
    }
  }

  /** Whether a row that was written with a time has expired. */
  def isOver(ts: Long): Boolean = ts + ttlMs <= time.ms

  /** A key was written. */
  def add(key: Array[Byte], ts: Long): Unit = {
    turns.put(Bytes.timeAndKey(ts + ttlMs, key), Array.emptyByteArray)
    next = math.min(next, ts + ttlMs)
  }

  /** Forgets a row that was written with a time: it is not there any more. */
  def remove(key: Array[Byte], ts: Long): Unit = turns.remove(Bytes.timeAndKey(ts + ttlMs, key))
}
