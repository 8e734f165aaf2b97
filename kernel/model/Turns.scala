package headrace.model

import java.util.HashMap

/** The latest time of each queue. */
final class Turns {
  private val others = new HashMap[Long, Long]
  private var queue = Long.MinValue
  private var latest = Long.MinValue

  def next(of: Long, ts: Long): Long = {
    if (of != queue) {
      others.put(queue, latest)
      queue = of
      latest = others.getOrDefault(of, Long.MinValue)
    }
    if (ts > latest) latest = ts
    latest
  }
}
