package headrace.spec

import com.fasterxml.jackson.databind.ObjectMapper
import headrace.model.{Going, SideOutput}
import headrace.python.{Handler, PythonWorkerSpec}

/** Spec of one stage, as `spark/spec/stage.py` of the planner has it.
  *
  * @param id      unlike that of any other stage in this process
  * @param number  its place among the stages of its application, from 1
  * @param nodes   the operators, each behind its inputs
  * @param entries by the tag of an edge: which operators its records go to, and as which of their inputs
  * @param times   by the tag of an edge: the name of the time that its records move, if rows are deleted by it
  * @param apart   whether its rows come apart by tasks already, as they are read
  * @param ordered whether they also come in the order in which they are taken
  * @param staying the tags of the edges whose rows are in the task already that takes them
  * @param python  what a Python process runs in the place of operators, null if none does
  */
case class StageSpec(
    id: String,
    number: Int,
    nodes: IndexedSeq[NodeSpec],
    entries: Map[Int, Seq[WaySpec]],
    times: Map[Int, String],
    functions: Seq[String],
    apart: Boolean,
    ordered: Boolean,
    staying: Set[Int],
    python: PythonProgramSpec) {
  /** The stores of all operators, each once. */
  def stores: Seq[String] = nodes.flatMap(_.stores).distinct
}

/** A part of the topology that runs in Python.
  *
  * @param code    the nodes, as Python reads them
  * @param entries by the tag of an edge that leads into it: the stores that are looked up by the keys of its records
  * @param exits   by the tag of an edge that leads out of it, where to
  * @param topics  those that records are read from, see [[Where]]
  */
case class PythonProgramSpec(
    code: PythonCodeSpec, entries: Map[Int, Seq[String]], exits: Map[Int, Going.Value], topics: Map[Long, String])

/** Code that a Python process runs, pickled. */
case class PythonCodeSpec(id: String, code: Array[Byte], worker: PythonWorkerSpec)

/** Spec of one operator of a stage.
  *
  * @param label      what failures of its functions call it
  * @param ways       where its results go, one after the other
  * @param sideOutputs the same for its side outputs, by their kind
  * @param everyChange of a table: whether every change is sent on, or the last of each key in a batch
  * @param sendsOld   whether the changes it sends carry old values
  * @param idleMs     after how long a silence its stream time follows the clock; -1 for never
  * @param lookedUp   whether the rows of a windowed table are asked for, beside following its changes
  * @param branches   the positions of the branches that its ways lead to
  * @param expiry     after what time the rows of its store go, null if they stay
  * @param failure    how its failures are told that are read as a stream, null if they are not
  * @param parameters what only operators of its kind have
  */
case class NodeSpec(
    name: String,
    label: String,
    op: String,
    inputs: Seq[Int],
    ways: Seq[WaySpec],
    sideOutputs: Map[SideOutput.Value, Seq[WaySpec]],
    stores: Seq[String],
    everyChange: Boolean,
    sendsOld: Boolean,
    idleMs: Long,
    lookedUp: Boolean,
    branches: Seq[Int],
    expiry: ExpirySpec,
    failure: FailureSpec,
    parameters: Described) {

  /** Whether failures are read as a stream. */
  def readsFailures: Boolean = failure != null

  def text(name: String): String = parameters.text(name)

  def flag(name: String): Boolean = parameters.flag(name)

  def flags(name: String): Seq[Boolean] = parameters.flags(name)

  def long(name: String): Long = parameters.long(name)

  def longOr(name: String, default: Long): Long = parameters.orElse(name, default)(parameters.long)

  def has(name: String): Boolean = parameters.has(name)

  /** The number of a function, or the numbers of several. */
  def function(name: String): Int = parameters.int(name)

  def functions(name: String): Seq[Int] = parameters.ints(name)
}

/** The rows of a store go after a while, by the stream time of this name. */
case class ExpirySpec(ttlMs: Long, time: String)

/** The numbers of the functions that tell a failure; of a source also of those that decode its records, else -1. */
case class FailureSpec(told: Int, decodedKey: Int, decodedValue: Int) {
  def decodes: Boolean = decodedKey >= 0
}

sealed trait WaySpec

/** To an operator of the stage, as one of its inputs. */
case class Into(operator: Int, position: Int) extends WaySpec

/** Out of the stage, on the edge of this tag. */
case class Out(tag: Int, going: Going.Value) extends WaySpec

object StageSpec {
  def parse(json: String): StageSpec = whole(json, "stage") { stage =>
    StageSpec(
      id = stage.text("id"),
      number = stage.int("number"),
      nodes = stage.parts("nodes").map(complete(_)(node)).toIndexedSeq,
      entries = stage.partsBy("entries").map { case (tag, ways) => tag.toInt -> ways.map(complete(_)(way)) },
      times = stage.textBy("times").map { case (tag, time) => tag.toInt -> time },
      functions = stage.texts("functions"),
      apart = stage.flag("apart"),
      ordered = stage.flag("ordered"),
      staying = stage.ints("staying").toSet,
      python = stage.orElse[PythonProgramSpec]("python", null)(name => complete(stage.part(name))(program)))
  }

  /** The function that says what becomes of records which a topic does not take; null without one. */
  def handler(json: String): Handler = if (json == null) null else Handler(whole(json, "handler")(code))

  private def program(python: Described): PythonProgramSpec = PythonProgramSpec(
    code = complete(python.part("code"))(code),
    entries = python.textsBy("entries").map { case (tag, stores) => tag.toInt -> stores },
    exits = python.textBy("exits").map { case (tag, going) => tag.toInt -> Going.withName(going) },
    topics = python.textBy("topics").map { case (place, topic) => place.toLong -> topic })

  private def code(described: Described): PythonCodeSpec =
    PythonCodeSpec(described.text("id"), described.bytes("code"), complete(described.part("worker"))(worker))

  private def worker(described: Described): PythonWorkerSpec = PythonWorkerSpec(
    described.text("python"), described.texts("path"), described.long("timeout_ms"), described.int("memory_mb"),
    described.text("programs"))

  private def node(one: Described): NodeSpec = NodeSpec(
    name = one.text("name"),
    label = one.text("label"),
    op = one.text("op"),
    inputs = one.ints("inputs"),
    ways = one.parts("ways").map(complete(_)(way)),
    sideOutputs = one.partsBy("side_outputs").map { case (kind, ways) =>
      SideOutput.withName(kind) -> ways.map(complete(_)(way))
    },
    stores = one.texts("stores"),
    everyChange = one.flag("every_change"),
    sendsOld = one.flag("sends_old"),
    idleMs = one.orElse("idle_ms", -1L)(one.long),
    lookedUp = one.flag("looked_up"),
    branches = one.ints("branches"),
    expiry = one.orElse[ExpirySpec]("expiry", null)(name => complete(one.part(name))(expiry)),
    failure = one.orElse[FailureSpec]("failure", null)(name => complete(one.part(name))(failure)),
    parameters = one.part("parameters").of(s"operator '${one.text("op")}'"))

  private def expiry(described: Described): ExpirySpec = ExpirySpec(described.long("ttl_ms"), described.text("time"))

  private def failure(described: Described): FailureSpec = FailureSpec(
    told = described.int("told"),
    decodedKey = described.orElse("decoded_key", -1)(described.int),
    decodedValue = described.orElse("decoded_value", -1)(described.int))

  private def way(described: Described): WaySpec =
    if (described.has("tag")) Out(described.int("tag"), Going.withName(described.text("going")))
    else Into(described.int("operator"), described.int("position"))

  private def whole[T](json: String, what: String)(read: Described => T): T =
    complete(new Described(new ObjectMapper().readTree(json), what))(read)

  private def complete[T](described: Described)(read: Described => T): T = {
    val made = read(described)
    described.complete()
    made
  }
}
