package headrace.kafka

import java.time.Duration
import java.util.regex.Pattern

import scala.collection.mutable

/** Topics by the numbers that records say they were read from, see [[Position]].
  *
  * @param ask the names of all topics that there are
  */
final class TopicNames(ask: => Seq[String]) {
  private var there = Seq.empty[String]
  private var askedAt = 0L
  private val found = mutable.Map.empty[(String, Long), Seq[String]]

  /** Topics that match a pattern and have a number, as of the last second: more than one if several have it,
    * none if it was deleted.
    */
  def matching(pattern: String, number: Long): Seq[String] = synchronized {
    if (found.isEmpty || System.nanoTime - askedAt > TopicNames.FreshNanos) {
      found.clear()
      look()
    }
    found.getOrElseUpdate((pattern, number), {
      val known = among(pattern, number)
      if (known.isEmpty) look() // it may be newer than what was told
      if (known.isEmpty) among(pattern, number) else known
    })
  }

  private def among(pattern: String, number: Long): Seq[String] = {
    val names = Pattern.compile(pattern)
    there.filter(name => names.matcher(name).matches && Position.number(name) == number)
  }

  private def look(): Unit = {
    there = ask.sorted
    askedAt = System.nanoTime
  }
}

object TopicNames {
  private val FreshNanos = Duration.ofSeconds(1).toNanos
}
