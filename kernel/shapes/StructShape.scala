package headrace.shapes

import java.nio.charset.StandardCharsets.UTF_8
import java.util.HashMap

import headrace.functions.Text
import headrace.json.{JsonOut, JsonScanner, Mismatch}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A field of a record.
  *
  * @param wrapped  whether it is a key that a dict may not have: in rows a struct of its own, null if it is missing
  * @param default  what it is where it is missing and need not be there, in JSON; null if that is None
  * @param compared whether it counts for `==`
  * @param printed  whether it is printed
  */
case class FieldShape(
    name: String, of: Shape, needed: Boolean, wrapped: Boolean, default: String, compared: Boolean, printed: Boolean) {
  def dataType: DataType = if (wrapped) new StructType().add("value", of.dataType) else of.dataType

  /** Its key in JSON. */
  val quoted: Array[Byte] = {
    val out = new JsonOut(inner = true)
    out.quoted(UTF8String.fromString(name))
    out.bytes
  }

  val otherwise: Any = if (default == null) null else of.decode(default.getBytes(UTF_8))

  /** Default of a missing field, or the mismatch that it is missing. */
  def missing: Any =
    if (!needed) otherwise else if (of.optional) null else new Mismatch("is missing").below(name)
}

/** A record with named fields.
  *
  * @param style what its class is: a `dataclass`, a `model` of pydantic, or a `dict`
  */
case class StructShape(name: String, style: String, fields: Seq[FieldShape]) extends Shape {
  private val all = fields.toArray
  private val types = all.map(_.dataType)
  private val places = new HashMap[UTF8String, Int]
  all.indices.foreach(place => places.put(UTF8String.fromString(all(place).name), place))

  override def dataType: DataType = StructType(all.map(field => StructField(field.name, field.dataType)))
  override val decimals: Boolean = all.exists(_.of.decimals)

  override def read(in: JsonScanner): Any =
    if (in.kind != '{') mismatch(in, s"$name (an object)")
    else {
      val found = new Array[Any](all.length)
      var there = 0L
      var next = 0
      var more = in.beginObject()
      while (more) {
        val place = placeOf(in, next)
        if (place < 0) in.skip()
        else {
          found(place) = all(place).of.read(in)
          if (place < 64) there |= 1L << place else found(place) = new There(found(place))
          next = place + 1
        }
        more = in.moreMembers()
      }
      whole(found, there)
    }

  /** The field whose key is here: most often the next one. */
  private def placeOf(in: JsonScanner, next: Int): Int =
    if (next < all.length && in.keyIs(all(next).quoted)) next else places.getOrDefault(in.key(), -1)

  private def whole(found: Array[Any], there: Long): Any = {
    var place = 0
    while (place < all.length) {
      val field = all(place)
      val isThere = if (place < 64) (there >> place & 1) == 1 else found(place) != null
      val value = if (!isThere) field.missing else found(place) match {
        case late: There => late.value
        case other => other
      }
      value match {
        case mismatch: Mismatch => return if (isThere) mismatch.below(field.name) else mismatch
        case _ => found(place) = if (field.wrapped && isThere) InternalRow(value) else value
      }
      place += 1
    }
    new GenericInternalRow(found)
  }

  override protected def put(value: Any, out: JsonOut): Unit = {
    val row = value.asInstanceOf[InternalRow]
    out.byte('{')
    var first = true
    var place = 0
    while (place < all.length) {
      val field = all(place)
      if (!field.wrapped || !row.isNullAt(place)) {
        if (!first) out.byte(',')
        first = false
        out.put(field.quoted)
        out.byte(':')
        try field.of.write(part(row, place), out) catch { case mismatch: Mismatch => throw mismatch.below(field.name) }
      }
      place += 1
    }
    out.byte('}')
  }

  /** The value of a field, out of its own struct if it has one. */
  private[headrace] def part(row: InternalRow, place: Int): Any =
    if (row.isNullAt(place)) null
    else if (!all(place).wrapped) row.get(place, types(place))
    else {
      val own = row.getStruct(place, 1)
      if (own.isNullAt(0)) null else own.get(0, all(place).of.dataType)
    }

  private[headrace] def has(row: InternalRow, place: Int): Boolean = !all(place).wrapped || !row.isNullAt(place)

  override def same(a: Any, b: Any): Boolean = {
    val (x, y) = (a.asInstanceOf[InternalRow], b.asInstanceOf[InternalRow])
    all.indices.forall { place =>
      !all(place).compared ||
      (has(x, place) == has(y, place) && all(place).of.sameOrNull(part(x, place), part(y, place)))
    }
  }

  override def shown(value: Any, inside: Boolean): String = {
    val row = value.asInstanceOf[InternalRow]
    val told = all.indices.filter(place => all(place).printed && has(row, place)).map { place =>
      val key = if (style == "dict") s"${Text.repr(UTF8String.fromString(all(place).name))}: " else s"${all(place).name}="
      key + all(place).of.inside(part(row, place))
    }
    if (style == "dict") told.mkString("{", ", ", "}")
    else if (style == "model" && !inside) told.mkString(" ")
    else told.mkString(s"$name(", ", ", ")")
  }
}

/** Marks a field behind the 64th as found. */
private final class There(val value: Any)
