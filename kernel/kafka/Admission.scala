package headrace.kafka

import java.util.concurrent.TimeUnit.NANOSECONDS

import headrace.kafka.InputOffset.Offsets
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Admission of records to the next batch: its end offset in each partition.
  *
  * Where it begins, if `still`. What there is, if one batch can have all of it. Of a backlog as much as the [[Pace]] allows: global tables first, then
  * everything up to a common time, see [[Step]].
  */
final class Admission(pace: Pace, step: Step, first: Set[String], still: Boolean = false) extends AutoCloseable {
  def end(start: Offsets, latest: Offsets): Offsets = {
    // A partition that is new begins at 0.
    val begin = latest.map { case (partition, end) => partition -> math.min(end, start.getOrElse(partition, 0L)) }
    val limit = if (still) 0 else pace.limit(Admission.now)
    val chosen = if (still) begin else if (Admission.size(begin, latest) <= limit) latest else part(begin, latest, limit)
    val size = Admission.size(begin, chosen)
    if (size > 0) pace.begin(size, Admission.now)
    chosen
  }

  override def close(): Unit = step.close()

  private def part(begin: Offsets, latest: Offsets, limit: Long): Offsets = {
    val (before, others) = latest.partition { case (partition, _) => first(partition.topic) }
    val ahead = Admission.share(begin, before, limit)
    val left = limit - Admission.size(begin, ahead)
    ahead ++ (if (left > 0) step.end(begin, others, left) else begin.view.filterKeys(others.contains))
  }
}

object Admission {
  /** Steady time, to measure batches: the machine's clock may jump, and one would seem to have taken an hour. */
  private def now: Long = NANOSECONDS.toMillis(System.nanoTime)

  def of(options: CaseInsensitiveStringMap): Admission = {
    val step = new Step(new BrokerTimes(KafkaOptions.properties(options)), KafkaOptions.names(options, "subscribe"))
    new Admission(Pace.of(options.getBoolean("python", false)), step, KafkaOptions.names(options, "first").toSet,
      options.getBoolean("still", false))
  }

  /** Number of records between offsets. */
  def size(begin: Offsets, end: Offsets): Long = end.map { case (partition, offset) => offset - begin(partition) }.sum

  /** As many records as allowed, of each partition in proportion to what it has. */
  def share(begin: Offsets, end: Offsets, limit: Long): Offsets = {
    val all = size(begin, end)
    if (all <= limit) end
    else end.map { case (partition, offset) =>
      val part = math.ceil((offset - begin(partition)).toDouble * limit / all).toLong
      partition -> math.min(offset, begin(partition) + part)
    }
  }
}
