package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** What one stage runs, as the planner wrote it in JSON.
  *
  * @param id      unlike that of any other stage in this process
  * @param number  its place among the stages of its application, from 1
  * @param nodes   the operators, each behind its inputs
  * @param entries by the tag of an edge: which operators its records go to, and as which of their inputs
  * @param times   by the tag of an edge: the name of the time that its records move, if rows are deleted by it
  * @param apart   whether its rows come apart by tasks already, as they are read
  * @param ordered whether they also come in the order in which they are taken
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
    python: PythonProgram) {
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
case class PythonProgram(
    id: String,
    code: Array[Byte],
    worker: PythonSpec,
    entries: Map[Int, Seq[String]],
    exits: Map[Int, Going.Value],
    topics: Map[Long, String])

/** One operator of a stage.
  *
  * @param label  what failures of its functions call it
  * @param ways   where its results go, one after the other
  * @param beside the same for the streams that stand beside the result, by their kind
  */
case class NodeSpec(
    name: String,
    label: String,
    op: String,
    inputs: Seq[Int],
    ways: Seq[WaySpec],
    beside: Map[Beside.Value, Seq[WaySpec]],
    stores: Seq[String],
    parameters: JsonNode) {

  def text(name: String): String = parameters.get(name).asText

  def flag(name: String): Boolean = parameters.get(name).asBoolean

  def long(name: String): Long = parameters.get(name).asLong

  /** Whether failures are read as a stream. */
  def readsFailures: Boolean = has("failure")

  def has(name: String): Boolean = parameters.has(name)

  /** The numbers of functions. */
  def ints(name: String): Seq[Int] = parameters.get(name).elements.asScala.map(_.asInt).toSeq

  /** After how long a silence stream time follows the clock; -1 for never. */
  def idleMs: Long = parameters.get("idle_ms").asLong(-1)

  def everyChange: Boolean = text("emit") == "every"
}

sealed trait WaySpec

/** To an operator of the stage, as one of its inputs. */
case class Into(operator: Int, position: Int) extends WaySpec

/** Out of the stage, on the edge of this tag. */
case class Out(tag: Int, going: Going.Value) extends WaySpec

/** Where records go that leave a stage: on, to any task; later, to the same task, where they have to be before what comes of
  * them; out, to topics, and to no task any more.
  */
object Going extends Enumeration {
  val On = Value("on")
  val Later = Value("later")
  val Out = Value("out")
}

object StageSpec {
  def parse(json: String): StageSpec = {
    val root = new ObjectMapper().readTree(json)
    StageSpec(
      id = root.get("id").asText,
      number = root.get("number").asInt,
      nodes = root.get("nodes").elements.asScala.map(node).toIndexedSeq,
      entries = root.get("entries").properties.asScala.map(entry => entry.getKey.toInt -> ways(entry.getValue)).toMap,
      times = root.get("times").properties.asScala.map(entry => entry.getKey.toInt -> entry.getValue.asText).toMap,
      functions = root.get("functions").elements.asScala.map(_.asText).toSeq,
      apart = root.get("apart").asBoolean,
      ordered = root.get("ordered").asBoolean,
      python = if (root.has("python")) program(root.get("python")) else null)
  }

  private def program(json: JsonNode): PythonProgram = PythonProgram(
    id = json.get("id").asText,
    code = json.get("code").binaryValue,
    worker = worker(json),
    entries = json.get("entries").properties.asScala
      .map(entry => entry.getKey.toInt -> entry.getValue.elements.asScala.map(_.asText).toSeq).toMap,
    exits = json.get("exits").properties.asScala.map(exit => exit.getKey.toInt -> Going.withName(exit.getValue.asText)).toMap,
    topics = Where.topics(json.get("topics").toString))

  private def worker(json: JsonNode): PythonSpec = PythonSpec(
    json.get("python").asText,
    json.get("path").elements.asScala.map(_.asText).toSeq,
    json.get("timeout_ms").asLong,
    json.get("memory_mb").asInt)

  /** The function that says what becomes of records which a topic does not take; null without one. */
  def handler(json: String): Handler = if (json == null) null else {
    val root = new ObjectMapper().readTree(json)
    Handler(worker(root), root.get("id").asText, root.get("code").asText)
  }

  private def node(json: JsonNode): NodeSpec = NodeSpec(
    name = json.get("name").asText,
    label = json.get("label").asText,
    op = json.get("op").asText,
    inputs = numbers(json.get("inputs")),
    ways = ways(json.get("ways")),
    beside = json.get("beside").properties.asScala.map(entry => Beside.withName(entry.getKey) -> ways(entry.getValue)).toMap,
    stores = json.get("stores").elements.asScala.map(_.asText).toSeq,
    parameters = json.get("parameters"))

  private def numbers(json: JsonNode): Seq[Int] = json.elements.asScala.map(_.asInt).toSeq

  private def ways(json: JsonNode): Seq[WaySpec] = json.elements.asScala.map { way =>
    if (way.isArray) Into(way.get(0).asInt, way.get(1).asInt) else Out(way.get("tag").asInt, Going.withName(way.get("going").asText))
  }.toSeq
}
