package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** What one stage runs, as the planner wrote it in JSON. */
case class StageSpec(name: String, nodes: Seq[NodeSpec]) {
  def stores: Seq[String] = nodes.map(_.store)
}

/** One operator of a stage: the tag of the edge it reads, and of the edge it writes, -1 if nobody reads it. */
case class NodeSpec(name: String, op: String, input: Int, output: Int, store: String, emit: String) {
  def everyChange: Boolean = emit == "every"
}

object StageSpec {
  def parse(json: String): StageSpec = {
    val root = new ObjectMapper().readTree(json)
    StageSpec(root.get("name").asText, root.get("nodes").elements.asScala.map(node).toSeq)
  }

  private def node(json: JsonNode): NodeSpec = NodeSpec(
    name = json.get("name").asText,
    op = json.get("op").asText,
    input = json.get("input").asInt,
    output = json.get("output").asInt,
    store = json.get("store").asText,
    emit = json.get("emit").asText)
}
