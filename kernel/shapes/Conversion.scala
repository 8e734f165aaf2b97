package headrace.shapes

import headrace.json.JsonOut
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

/** Values of one shape as values of another that has room for them, as `headrace.model.type_compatibility` says. */
final class Conversion(from: Shape, to: Shape) extends Serializable {
  @transient private lazy val convert = Conversion.between(from, to)

  def apply(value: Any): Any = convert(value)
}

object Conversion {
  private type Convert = Any => Any

  /** From values, or null, to values. */
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
    case (one: ListShape, ListShape(_, other)) =>
      val item = between(one.of, other)
      some(value => new GenericArrayData(one.all(value).map(item)))
    case (one: DictShape, DictShape(_, other)) =>
      val item = between(one.of, other)
      some(value => dict(one.members(value).toSeq.map { case (key, member) => key -> item(member) }))
    case (one: TupleShape, other: TupleShape) =>
      val items = one.of.zip(other.of).map { case (a, b) => between(a, b) }
      some(value => new GenericInternalRow(one.all(value).zip(items).map { case (part, item) => item(part) }))
    case (one: StructShape, DictShape(_, other)) => some(toDict(one, one.fields.map(field => between(field.of, other))))
    case (one: StructShape, other: StructShape) => some(toStruct(one, other))
    case _ => identity
  }

  private def some(convert: Convert): Convert = value => if (value == null) null else convert(value)

  private def toDict(one: StructShape, items: Seq[Convert]): Convert = value => {
    val row = value.asInstanceOf[InternalRow]
    dict(one.fields.indices.filter(one.has(row, _)).map { place =>
      UTF8String.fromString(one.fields(place).name) -> items(place)(one.part(row, place))
    })
  }

  private def dict(members: Seq[(UTF8String, Any)]): ArrayBasedMapData =
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
          val part = items(at)(one.part(row, places(at)))
          if (other.fields(at).wrapped) InternalRow(part) else part
        }
      }.toArray[Any])
    }
  }
}
