package headrace.live

import scala.collection.mutable

/** What a stream thread has counted since it was asked last. */
final class LiveCounts {
  private val counts = mutable.Map.empty[(String, String, String), Long]

  def add(kind: String, place: String, reason: String, by: Long): Unit = {
    val one = (kind, place, reason)
    counts(one) = counts.getOrElse(one, 0L) + by
  }

  def take(): Map[(String, String, String), Long] = {
    val taken = counts.toMap
    counts.clear()
    taken
  }
}
