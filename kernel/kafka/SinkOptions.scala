package headrace.kafka

import headrace.python.Handler
import headrace.spec.StageSpec
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Options of the sink.
  *
  * @param kafka        properties of the producer
  * @param topics       topics that are known to exist
  * @param changelogs   those of them that are changelogs of stores
  * @param createTopics whether any other topic that does not exist is made, as on the embedded broker
  * @param app          the application in whose name transactions are made; null if there are to be none
  * @param home         a topic that exists, to which the numbers of batches are written
  * @param letters      the topics of dead letters, see [[DeadLetters]]
  * @param onError      what becomes of records that a topic does not take: "fail", "skip", "dead_letter", or as a
  *                     function says of each: "ask"
  * @param handler      that function, if there is one
  * @param refused      the topic of dead letters that those go to
  */
case class SinkOptions(
    kafka: Map[String, String],
    topics: Set[String],
    changelogs: Set[String],
    createTopics: Boolean,
    app: String,
    home: String,
    letters: Set[String],
    onError: String,
    handler: Handler,
    refused: String) {
  /** Without the properties, which may hold passwords: plans and logs show it. */
  override def toString: String = s"SinkOptions($app)"
}

object SinkOptions {
  def of(options: CaseInsensitiveStringMap): SinkOptions = SinkOptions(
    kafka = KafkaOptions.properties(options),
    topics = options.getOrDefault("topics", "").split(',').toSet,
    changelogs = KafkaOptions.names(options, "changelogs").toSet,
    createTopics = options.getBoolean("createTopics", false),
    app = options.get("app"),
    home = options.get("home"),
    letters = KafkaOptions.names(options, "letters").toSet,
    onError = options.getOrDefault("onError", "fail"),
    handler = StageSpec.handler(options.get("handler")),
    refused = options.get("refused"))
}
