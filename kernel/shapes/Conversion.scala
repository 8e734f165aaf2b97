package headrace.shapes

import headrace.json.{JsonOut, Mismatch}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

/** Values of one shape as values of another that has room for them, as `headrace.model.type_compatibility` says. */
final class Conversion(from: Shape, to: Shape) extends Serializable {
  @transient private lazy val convert = Conversion.between(from, to)

  def apply(value: Any): Any = try convert(value) catch { case mismatch: Mismatch => throw mismatch.refusal }
}

object Conversion {
  private type Convert = Any => Any

  /** Conversion of values, or null. */
  private def between(from: Shape, to: Shape): Convert = (from, to) match {
    case (same, other) if same == other => identity
    case (OptionalShape(one), other) => between(one, other)
    case (one, OptionalShape(other)) => between(one, other)
    case (one, JsonShape) => some { value =>
      val out = new JsonOut(inner = true)
      one.write(value, out)
      out.text
    }
    case (IntShape, FloatShape) => some(_.asInstanceOf[Long].toDouble)
    case (Int32Shape, FloatShape) => some(_.asInstanceOf[Int].toDouble)
    case (Int32Shape, IntShape) => some(_.asInstanceOf[Int].toLong)
    case (IntShape, Int32Shape) => some(number => Int32Shape.fitted(number.asInstanceOf[Long]))
    case (one: ExactDecimalShape, DecimalShape) => some(one.text)
    case (DecimalShape, other: ExactDecimalShape) => some(text => other.fitted(text.asInstanceOf[UTF8String]))
    case (one: ExactDecimalShape, other: ExactDecimalShape) => some(number => other.fitted(one.text(number)))
    case (one: ListShape, ListShape(_, other)) =>
      val item = between(one.of, other)
      some(value => new GenericArrayData(each(one.all(value), item)))
    case (one: DictShape, DictShape(_, _, other)) =>
      val item = between(one.of, other)
      some(value => dict(one.members(value).toSeq.map { case (key, member) => key -> under(one.text(key).toString)(item(member)) }))
    case (one: TupleShape, other: TupleShape) =>
      val items = one.of.zip(other.of).map { case (a, b) => between(a, b) }
      some { value =>
        val parts = one.all(value)
        new GenericInternalRow(parts.indices.map(at => below(at)(items(at)(parts(at)))).toArray[Any])
      }
    case (one: StructShape, DictShape(_, _, other)) => some(toDict(one, one.fields.map(field => between(field.of, other))))
    case (one: StructShape, other: StructShape) => some(toStruct(one, other))
    case _ => identity
  }

  private def each(items: Array[Any], convert: Convert): Array[Any] =
    items.indices.map(place => below(place)(convert(items(place)))).toArray

  private def under(name: String)(convert: => Any): Any =
    try convert catch { case mismatch: Mismatch => throw mismatch.below(name) }

  private def below(place: Int)(convert: => Any): Any =
    try convert catch { case mismatch: Mismatch => throw mismatch.below(place) }

  private def some(convert: Convert): Convert = value => if (value == null) null else convert(value)

  private def toDict(one: StructShape, items: Seq[Convert]): Convert = value => {
    val row = value.asInstanceOf[InternalRow]
    dict(one.fields.indices.filter(one.has(row, _)).map { place =>
      UTF8String.fromString(one.fields(place).name) ->
        under(one.fields(place).name)(items(place)(one.part(row, place)))
    })
  }

  private def dict(members: Seq[(Any, Any)]): ArrayBasedMapData =
    new ArrayBasedMapData(
      new GenericArrayData(members.map(_._1: Any).toArray), new GenericArrayData(members.map(_._2).toArray))

  private def toStruct(one: StructShape, other: StructShape): Convert = {
    val places = other.fields.map(field => one.fields.indexWhere(_.name == field.name))
    val items = places.zip(other.fields).map { case (place, field) =>
      if (place < 0) identity[Any] _ else between(one.fields(place).of, field.of)
    }
    value => {
      val row = value.asInstanceOf[InternalRow]
      new GenericInternalRow(other.fields.indices.map { at =>
        if (places(at) < 0 || !one.has(row, places(at))) null
        else {
          val part = under(other.fields(at).name)(items(at)(one.part(row, places(at))))
          if (other.fields(at).wrapped) InternalRow(part) else part
        }
      }.toArray[Any])
    }
  }
}
