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
  */
case class StageSpec(
    id: String,
    number: Int,
    nodes: IndexedSeq[NodeSpec],
    entries: Map[Int, Seq[(Int, Int)]],
    times: Map[Int, String],
    functions: Seq[String],
    apart: Boolean,
    ordered: Boolean) {
  /** The stores of all operators, each once. */
  def stores: Seq[String] = nodes.flatMap(_.stores).distinct
}

/** One operator of a stage.
  *
  * @param label   what failures of its functions call it
  * @param readers which operators of this stage read it, and as which of their inputs
  * @param exits   the tags of the edges that leave the stage from here
  * @param beside  the same two for the streams that stand beside the result, by their kind
  */
case class NodeSpec(
    name: String,
    label: String,
    op: String,
    inputs: Seq[Int],
    readers: Seq[(Int, Int)],
    exits: Seq[Int],
    beside: Map[Beside.Value, (Seq[(Int, Int)], Seq[Int])],
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

object StageSpec {
  def parse(json: String): StageSpec = {
    val root = new ObjectMapper().readTree(json)
    StageSpec(
      id = root.get("id").asText,
      number = root.get("number").asInt,
      nodes = root.get("nodes").elements.asScala.map(node).toIndexedSeq,
      entries = root.get("entries").properties.asScala.map(entry => entry.getKey.toInt -> places(entry.getValue)).toMap,
      times = root.get("times").properties.asScala.map(entry => entry.getKey.toInt -> entry.getValue.asText).toMap,
      functions = root.get("functions").elements.asScala.map(_.asText).toSeq,
      apart = root.get("apart").asBoolean,
      ordered = root.get("ordered").asBoolean)
  }

  private def node(json: JsonNode): NodeSpec = NodeSpec(
    name = json.get("name").asText,
    label = json.get("label").asText,
    op = json.get("op").asText,
    inputs = numbers(json.get("inputs")),
    readers = places(json.get("readers")),
    exits = numbers(json.get("exits")),
    beside = json.get("beside").properties.asScala.map { entry =>
      Beside.withName(entry.getKey) -> (places(entry.getValue.get("readers")), numbers(entry.getValue.get("exits")))
    }.toMap,
    stores = json.get("stores").elements.asScala.map(_.asText).toSeq,
    parameters = json.get("parameters"))

  private def numbers(json: JsonNode): Seq[Int] = json.elements.asScala.map(_.asInt).toSeq

  private def places(json: JsonNode): Seq[(Int, Int)] =
    json.elements.asScala.map(place => place.get(0).asInt -> place.get(1).asInt).toSeq
}
