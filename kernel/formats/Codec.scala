package headrace.formats

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.Invoke
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The bytes of one format <-> values in rows; with a constructor that takes what Python tells it, as text.
  *
  * `headrace.serde.facts` names the class of a serde's codec. Null never comes to it.
  */
abstract class Codec extends Serializable {
  def dataType: DataType

  /** The value of some bytes; `headers` are those of their record, or null for a serde that looks at none. */
  def decoding(data: Expression, headers: Expression): Expression

  /** The bytes of a value. */
  def encoding(value: Expression): Expression

  /** The headers of a record, with those that go with a value. */
  def heading(headers: Expression, value: Expression): Expression = headers
}

/** A codec that is asked for one value after the other, by several tasks at once.
  *
  * It goes to the tasks with their code: what it looks up, such as the schemas of writers, belongs into its companion
  * object, once for a process.
  */
abstract class ValueCodec extends Codec {
  /** The value of some bytes; `headers` is null unless `headerNames` has any. */
  def decode(data: Array[Byte], headers: Headed): Any

  def encode(value: Any): Array[Byte]

  /** The names of the headers that it reads and writes beside the bytes. */
  def headerNames: Set[String] = Set.empty

  /** The headers to write beside a value. */
  def headersOf(value: Any): Seq[(String, Array[Byte])] = Nil

  // -- what generated code calls

  final def decodeAlone(data: Array[Byte]): Any = decode(data, null)

  final def decodeHeaded(data: Array[Byte], headers: ArrayData): Any = decode(data, new Headed(headers))

  /** The headers of a record, less those that are this codec's own, and with those of a value. */
  final def withHeaders(value: Any, headers: ArrayData): ArrayData = {
    val added = headersOf(value).map { case (name, data) => InternalRow(UTF8String.fromString(name), data) }
    new GenericArrayData((new Headed(headers).without(headerNames) ++ added).toArray[Any])
  }

  final def withoutHeaders(headers: ArrayData): ArrayData =
    new GenericArrayData(new Headed(headers).without(headerNames).toArray[Any])

  override def decoding(data: Expression, headers: Expression): Expression =
    if (headers == null) called("decodeAlone", dataType, data)
    else called("decodeHeaded", dataType, data, Headed.orNone(headers))

  override def encoding(value: Expression): Expression = called("encode", BinaryType, value)

  override def heading(headers: Expression, value: Expression): Expression = {
    val there = Headed.orNone(headers)
    If(
      IsNull(value),
      called("withoutHeaders", Headed.dataType, there),
      called("withHeaders", Headed.dataType, value, there))
  }

  /** One of the methods above; null gives null. Nondeterministic for the reason that `MayThrow` gives. */
  private def called(method: String, gives: DataType, args: Expression*): Expression =
    Invoke(
      Literal.fromObject(this, ObjectType(classOf[ValueCodec])), method, gives, args, propagateNull = true,
      returnNullable = true, isDeterministic = false)
}

/** The headers of a record, as rows have them. */
final class Headed(headers: ArrayData) {
  /** The value of the last header of a name; null if there is none, or it has none. */
  def last(name: String): Array[Byte] = {
    val wanted = UTF8String.fromString(name)
    all.filter(_.getUTF8String(0) == wanted).lastOption.filterNot(_.isNullAt(1)).map(_.getBinary(1)).orNull
  }

  private[headrace] def without(names: Set[String]): Seq[InternalRow] =
    all.filterNot(one => names(one.getUTF8String(0).toString))

  private def all: Seq[InternalRow] = (0 until headers.numElements()).map(headers.getStruct(_, 2))
}

object Headed {
  val dataType: DataType = ArrayType(new StructType().add("key", StringType).add("value", BinaryType))

  private val none = Literal(new GenericArrayData(Array.empty[Any]), dataType)

  /** Rows have null for no headers. */
  private[headrace] def orNone(headers: Expression): Expression = Coalesce(Seq(headers, none))
}

object Codec {
  private[headrace] def functions: Seq[(String, FunctionBuilder)] = Seq(
    "hr_decode" -> {
      case Seq(data, name, settings) => of(name, settings).decoding(data, null)
      case Seq(data, name, settings, headers) => of(name, settings).decoding(data, headers)
    },
    "hr_encode" -> { case Seq(value, name, settings) => of(name, settings).encoding(value) },
    "hr_headers" -> { case Seq(headers, value, name, settings) => of(name, settings).heading(headers, value) })

  private val known = new ConcurrentHashMap[(String, String), Codec]

  private def of(name: Expression, settings: Expression): Codec =
    known.computeIfAbsent((name.eval().toString, settings.eval().toString), made)

  /** As Spark does with the classes of its data sources, one is found by its name: here, or wherever the name says. */
  private def made(told: (String, String)): Codec = {
    val (name, settings) = told
    val whole = if (name.contains('.')) name else s"${classOf[Codec].getPackageName}.$name"
    val loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
    Class.forName(whole, true, loader).asSubclass(classOf[Codec]).getConstructor(classOf[String]).newInstance(settings)
  }
}
