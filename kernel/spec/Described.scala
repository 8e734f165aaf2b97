package headrace.spec

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.JsonNodeType
import headrace.model.{Fault, FaultKind}

/** A part of a spec in JSON, read by the names of its keys: one that is missing is an error, and so is one that nobody
  * has read.
  *
  * @param what what it describes, in words
  */
final class Described(json: JsonNode, what: String) extends Serializable {
  @transient private lazy val read = ConcurrentHashMap.newKeySet[String]

  def has(name: String): Boolean = {
    read.add(name)
    json.has(name)
  }

  def text(name: String): String = one(name, JsonNodeType.STRING).asText

  def flag(name: String): Boolean = one(name, JsonNodeType.BOOLEAN).asBoolean

  def int(name: String): Int = one(name, JsonNodeType.NUMBER).asInt

  def long(name: String): Long = one(name, JsonNodeType.NUMBER).asLong

  def bytes(name: String): Array[Byte] = one(name, JsonNodeType.STRING).binaryValue

  def texts(name: String): Seq[String] = items(name).map(_.asText)

  def ints(name: String): Seq[Int] = items(name).map(_.asInt)

  def flags(name: String): Seq[Boolean] = items(name).map(_.asBoolean)

  /** Value of an optional key; `default` without it. */
  def orElse[T](name: String, default: T)(value: String => T): T = if (has(name)) value(name) else default

  /** This part under another name, for messages. */
  def of(what: String): Described = new Described(json, what)

  def part(name: String): Described = new Described(one(name, JsonNodeType.OBJECT), name)

  def parts(name: String): Seq[Described] = described(name, one(name, JsonNodeType.ARRAY))

  /** Parts, or values, by the keys of an object. */
  def partsBy(name: String): Map[String, Seq[Described]] = by(name).map { case (key, value) => key -> described(s"$name of $key", value) }

  def textBy(name: String): Map[String, String] = by(name).map { case (key, value) => key -> value.asText }

  def textsBy(name: String): Map[String, Seq[String]] = by(name).map { case (key, value) => key -> value.elements.asScala.map(_.asText).toSeq }

  /** Everything was read that is known here: what is left is of another planner. */
  def complete(): Unit = {
    val unknown = json.fieldNames.asScala.filterNot(read.contains).toSeq
    if (unknown.nonEmpty) throw new SpecMismatch(s"the $what has '${unknown.mkString("', '")}', which this kernel does not know")
  }

  private def by(name: String): Map[String, JsonNode] =
    one(name, JsonNodeType.OBJECT).properties.asScala.map(entry => entry.getKey -> entry.getValue).toMap

  private def items(name: String): Seq[JsonNode] = one(name, JsonNodeType.ARRAY).elements.asScala.toSeq

  private def described(name: String, list: JsonNode): Seq[Described] = list.elements.asScala.map(new Described(_, name)).toSeq

  private def one(name: String, kind: JsonNodeType): JsonNode = {
    read.add(name)
    val found = json.get(name)
    if (found == null) throw new SpecMismatch(s"the $what has no '$name'")
    if (found.getNodeType != kind) throw new SpecMismatch(s"'$name' of the $what is $found, which is no ${kind.toString.toLowerCase}")
    found
  }
}

/** The planner's spec and the kernel do not fit: they are of different releases. */
final class SpecMismatch(what: String) extends Fault(FaultKind.KernelMismatch, "", what, "", null)
