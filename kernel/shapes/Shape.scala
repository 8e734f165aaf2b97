package headrace.shapes

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import headrace.functions.{Codecs, Equal, Member}
import headrace.json.{JsonOut, JsonScanner, JsonTree, Mismatch}
import headrace.model.Refusal
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A type of values, as `headrace.serde.shapes` tells it: how they are in rows, in JSON, compared and printed. */
abstract class Shape extends Serializable {
  /** As Python writes it. */
  def name: String

  def dataType: DataType

  /** The value that the JSON here says, or the [[Mismatch]] of it: whatever is behind it has to be JSON all the same. */
  def read(in: JsonScanner): Any

  protected def put(value: Any, out: JsonOut): Unit

  /** Whether two values, none of them null, are equal. */
  def same(a: Any, b: Any): Boolean = a == b

  /** What stands for a value among keys: equal for values that are equal. */
  def token(value: Any): Any = value

  /** A value as a key of JSON: the text that it is, or that of its JSON. */
  final def keyText(value: Any): UTF8String = {
    val out = new JsonOut(inner = false)
    write(value, out)
    val told = out.text
    if (told.numBytes == 0 || told.getByte(0) != '"') told
    else {
      val in = new JsonScanner(told.getBytes, decimals = false)
      in.start()
      in.text()
    }
  }

  /** The value that a key of JSON says, or a [[Mismatch]]. */
  final def ofKeyText(text: UTF8String): Any =
    try {
      val quoted = new JsonOut(inner = false)
      if (texts) quoted.quoted(text) else quoted.put(text.getBytes)
      val in = new JsonScanner(quoted.bytes, decimals)
      in.start()
      val found = read(in)
      in.end()
      found
    } catch { case refusal: Refusal => new Mismatch(refusal.getMessage) }

  /** Whether its values are texts in JSON. */
  def texts: Boolean = false

  /** As Python's `str` prints a value that is not null, or its `repr` inside of something. */
  def shown(value: Any, inside: Boolean): String

  /** Whether there are Decimals in it: then numbers are read as such. */
  def decimals: Boolean = false

  /** Whether null may be read and written. */
  def optional: Boolean = false

  final def write(value: Any, out: JsonOut): Unit =
    if (value != null) put(value, out)
    else if (optional || out.inner) out.ascii("null")
    else throw new Mismatch(s"is None, $name is needed")

  final def sameOrNull(a: Any, b: Any): Boolean = if (a == null || b == null) a == null && b == null else same(a, b)

  final def inside(value: Any): String = if (value == null) "None" else shown(value, inside = true)

  /** Description of a value that is not of this shape. */
  protected final def mismatch(in: JsonScanner, needed: String = name): Mismatch =
    new Mismatch(s"is ${JsonTree.shown(in.tree())}, $needed is needed")

  // -- the functions of SQL

  final def decode(data: Array[Byte]): Any = {
    Codecs.decodeString(data)
    val in = new JsonScanner(data, decimals)
    in.start()
    val found = read(in)
    in.end()
    if (in.half) JsonTree.checkLetters(JsonTree.of(data, decimals))
    found match {
      case mismatch: Mismatch => throw mismatch.refusal
      case value => value
    }
  }

  final def encode(value: Any): Array[Byte] = {
    val out = new JsonOut(inner = false)
    try write(value, out) catch { case mismatch: Mismatch => throw mismatch.refusal }
    out.bytes
  }

  final def print(value: Any): UTF8String = UTF8String.fromString(shown(value, inside = false))
}

object Shape {
  private[headrace] def functions: Seq[(String, FunctionBuilder)] = Seq(
    "hr_shown" -> { case Seq(value, told) => called(of(told), "print", StringType, value) },
    "hr_convert" -> { case Seq(value, from, to) =>
      called(new Conversion(of(from), of(to)), "apply", of(to).dataType, value)
    },
    "hr_equal" -> { case Seq(left, right, told) => Equal(left, right, of(told)) },
    "hr_member" -> { case Seq(list, item, told) => Member(list, item, of(told)) })

  /** A method of an object on a value; null gives null. Nondeterministic for the reason that `MayThrow` gives. */
  private def called(home: AnyRef, method: String, gives: DataType, value: Expression): Expression =
    Invoke(
      Literal.fromObject(home), method, gives, Seq(value), propagateNull = true, returnNullable = true,
      isDeterministic = false)

  private val known = new ConcurrentHashMap[String, Shape]

  private[headrace] def of(told: Expression): Shape = of(told.eval().toString)

  /** The shape of a text of `headrace.serde.shapes`. */
  private[headrace] def of(told: String): Shape =
    known.computeIfAbsent(told, text => parsed(new ObjectMapper().readTree(text)))

  private def parsed(json: JsonNode): Shape = {
    def inner(name: String): Shape = parsed(json.get(name))
    def name: String = json.get("name").asText
    json.get("kind").asText match {
      case "str" => StrShape
      case "int" => IntShape
      case "float" => FloatShape
      case "bool" => BoolShape
      case "bytes" => BytesShape
      case "datetime" => MomentShape
      case "decimal" => DecimalShape
      case "int32" => Int32Shape
      case "date" => DateShape
      case "time" => TimeShape
      case "exact" => ExactDecimalShape(name, json.get("precision").asInt, json.get("scale").asInt)
      case "json" => JsonShape
      case "none" => NoneShape
      case "optional" => OptionalShape(inner("of"))
      case "list" => ListShape(name, inner("of"))
      case "dict" => DictShape(name, if (json.has("keys")) inner("keys") else StrShape, inner("of"))
      case "enum" => EnumShape(name, json.get("listed").asText, json.get("members").elements.asScala.map(member).toSeq)
      case "tuple" => TupleShape(name, json.get("columns").elements.asScala.map(_.asText).toSeq, all(json.get("of")))
      case "windowed" => WindowedShape(inner("of"))
      case "struct" => StructShape(name, json.get("style").asText, json.get("fields").elements.asScala.map(field).toSeq)
    }
  }

  private def all(json: JsonNode): Seq[Shape] = json.elements.asScala.map(parsed).toSeq

  private def member(json: JsonNode): EnumMember = EnumMember(
    if (json.get("value").isTextual) UTF8String.fromString(json.get("value").asText) else json.get("value").asLong,
    json.get("str").asText,
    json.get("repr").asText)

  case class EnumMember(value: Any, str: String, repr: String)

  private def field(json: JsonNode): FieldShape = FieldShape(
    json.get("name").asText,
    parsed(json.get("of")),
    needed = json.get("needed").asBoolean,
    wrapped = json.get("wrapped").asBoolean,
    default = Option(json.get("default")).map(_.asText).orNull,
    compared = json.get("compared").asBoolean,
    printed = json.get("printed").asBoolean)
}
