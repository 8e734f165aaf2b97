package headrace.kafka

import headrace.kafka.InputOffset.Offsets
import org.apache.kafka.common.TopicPartition

/** Keeps partitions in step: the next part of a backlog are all records before a time, about as many as allowed.
  *
  * A record comes before a time if it and all before it in its partition have earlier ones: the order of [[Turn]], so
  * that a backlog in many batches is taken in the order of one. Where more than allowed have the same time, topics go in
  * the order in which they were declared, as there.
  */
final class Step(times: Times, order: Seq[String]) extends AutoCloseable {
  import Step._

  private var reached = Never

  /** The end of a batch of at most `limit` records, roughly; there are more than that. At least one is in it. */
  def end(begin: Offsets, latest: Offsets, limit: Long): Offsets = {
    val waiting = latest.filter { case (partition, offset) => offset > begin(partition) }
    if (waiting.size == 1) Admission.share(begin, latest, limit)
    else latest ++ inStep(begin, waiting, limit)
  }

  override def close(): Unit = times.close()

  private def inStep(begin: Offsets, latest: Offsets, limit: Long): Offsets = {
    val (before, after) = narrow(bracket(begin, latest, limit), begin, latest, limit)
    reached = before.ms
    val full = after.ms - before.ms <= 1 && before.size < limit / 2
    val chosen = if (full) fill(before.end, after.end, limit - before.size) else before.end
    chosen ++ unordered(begin, latest, chosen, before.ms, limit)
  }

  /** Two times, the first with no more records before it than allowed, the second with more. */
  private def bracket(begin: Offsets, latest: Offsets, limit: Long): (Cut, Cut) = {
    val all = Cut(times.latest(latest.keySet) + 1, latest, Admission.size(begin, latest))
    val nothing = Cut(Never, begin.filter { case (partition, _) => latest.contains(partition) }, 0)
    var (low, high, step) = (nothing, all, FirstStep)
    if (reached != Never && reached < all.ms) {
      val again = cut(reached, begin, latest)
      if (again.size <= limit) low = again else high = again
    }
    while (low eq nothing) if (high.ms <= 0) return (low, high) else {
      val found = cut(math.max(0, high.ms - step), begin, latest)
      if (found.size <= limit) low = found else high = found
      if (found.ms == 0 && low.eq(nothing)) return (low, high)
      step *= 2
    }
    (low, high)
  }

  /** Brings the two times together until the first has nearly as many records as allowed. */
  private def narrow(from: (Cut, Cut), begin: Offsets, latest: Offsets, limit: Long): (Cut, Cut) = {
    var (low, high) = from
    var halve = false
    while (high.ms - low.ms > 1 && low.size < limit * Enough) {
      val share = (limit * Aim - low.size) / (high.size - low.size)
      val guess = low.ms + (if (halve) (high.ms - low.ms) / 2 else ((high.ms - low.ms) * share).toLong)
      val found = cut(math.max(low.ms + 1, math.min(high.ms - 1, guess)), begin, latest)
      if (found.size <= limit) low = found else high = found
      halve = !halve
    }
    (low, high)
  }

  private def cut(ms: Long, begin: Offsets, latest: Offsets): Cut = {
    val firsts = times.firsts(latest.keySet, ms)
    val end = latest.map { case (partition, offset) =>
      partition -> math.max(begin(partition), math.min(offset, firsts.getOrElse(partition, offset)))
    }
    Cut(ms, end, Admission.size(begin, end))
  }

  private def fill(begin: Offsets, end: Offsets, limit: Long): Offsets = {
    val byTopic = end.groupBy(_._1.topic).toSeq.sortBy { case (topic, _) => (order.indexOf(topic) & Int.MaxValue, topic) }
    var left = limit
    byTopic.flatMap { case (_, partitions) =>
      val taken = Admission.share(begin, partitions, left)
      left = math.max(0, left - Admission.size(begin, taken))
      taken
    }.toMap
  }

  /** Partitions with a record behind them that was ahead of its time: the index tells nothing of those after it. */
  private def unordered(begin: Offsets, latest: Offsets, chosen: Offsets, ms: Long, limit: Long): Offsets = {
    val still = begin.filter { case (partition, offset) => chosen.get(partition).contains(offset) }
    val heads = if (still.isEmpty) Map.empty[TopicPartition, Long] else times.at(still)
    val behind = latest.filter { case (partition, _) => still.contains(partition) && heads.get(partition).forall(_ < ms) }
    val all = Admission.size(begin, latest)
    Admission.share(begin, behind, math.ceil(Admission.size(begin, behind).toDouble * limit / all).toLong)
  }
}

/** All records before a time: where they end, and how many they are. */
private case class Cut(ms: Long, end: Offsets, size: Long)

object Step {
  private val Never = -1L
  private val FirstStep = 1000L
  private val Enough = 0.8
  private val Aim = 0.9
}
