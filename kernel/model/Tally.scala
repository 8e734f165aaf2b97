package headrace.model

/** Counter of what tasks do: records taken, sent on and dropped, and when a task wants to see the next time. */
trait Tally extends Serializable {
  /** Number of this tally, which stays when a query is begun again. */
  def id: Long

  /** Count inside a task of a batch. */
  def count(kind: String, place: String, reason: String, by: Long): Unit

  /** When the task of this partition wants to see the next time of day; it takes the place of what it said before. */
  def due(stage: String, ms: Long): Unit
}

object Tally {
  val Drop = "drop"
  val In = "in"
  val Out = "out"
  val Unwritten = "unwritten"
  val Logged = "logged"
  val Letter = "letter"
  val Rows = "rows"
  val Read = "read"
  val Written = "written"
  val Due = "due"
}
