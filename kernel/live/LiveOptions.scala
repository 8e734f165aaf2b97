package headrace.live

import headrace.kafka.SinkOptions
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** How an application runs on stream threads.
  *
  * @param app        its name, also that of its consumer group
  * @param threads    how many there are
  * @param tasks      how many tasks they share: thread n has those whose numbers are n, and so many more
  * @param intervalMs how often what was done is committed
  * @param idleMs     how long a task waits for partitions without records before it takes those of others
  * @param once       whether outputs are seen with the commit; else they are seen at once, and perhaps twice
  * @param stateful   whether there is state, with a changelog
  * @param directory  where copies of the state are kept on the machine that a task runs on; null for nowhere
  * @param bounded    whether it ends with what is there now: then it also commits when it has read all
  * @param starts     by topic and partition: where those are read from that nobody has read before, see `Starts`
  */
case class LiveOptions(
    app: String,
    threads: Int,
    tasks: Int,
    intervalMs: Long,
    idleMs: Long,
    once: Boolean,
    stateful: Boolean,
    directory: String,
    bounded: Boolean,
    starts: Map[String, Map[Int, Long]],
    sink: SinkOptions) {

  def changelog: String = s"$app-state"

  /** Whether what a commit writes is one transaction. */
  def transactional: Boolean = once || stateful

  def transactionalId(thread: Int): String = s"$app-sink-$thread"

  /** The tasks that a thread has. */
  def tasksOf(thread: Int): Seq[Int] = (0 until tasks).filter(_ % threads == thread)
}

object LiveOptions {
  def of(settings: CaseInsensitiveStringMap, sink: SinkOptions, stateful: Boolean): LiveOptions = {
    val tasks = settings.get("tasks").toInt
    LiveOptions(
      app = settings.get("app"),
      threads = math.max(1, math.min(settings.get("threads").toInt, tasks)),
      tasks = tasks,
      intervalMs = settings.get("intervalMs").toLong,
      idleMs = settings.getLong("idleMs", 0),
      once = settings.getBoolean("once", false),
      stateful = stateful,
      directory = settings.get("directory"),
      bounded = settings.getBoolean("untilLatest", false),
      starts = starts(settings.getOrDefault("starts", "{}")),
      sink = sink)
  }

  private def starts(json: String): Map[String, Map[Int, Long]] =
    new ObjectMapper().readTree(json).properties.asScala.map { topic =>
      topic.getKey -> topic.getValue.properties.asScala.map(one => one.getKey.toInt -> one.getValue.asLong).toMap
    }.toMap
}
