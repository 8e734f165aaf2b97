package headrace.functions

import headrace.model.Refusal
import headrace.shapes.{DecimalShape, IntShape, Shape}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Items and slices, as Python has them. */
object Items {
  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(name, getClass, method, gives, takes: _*)
    Seq(
      static("hr_item", "item", StringType, StringType, LongType),
      static("hr_item_bytes", "itemOfBytes", LongType, BinaryType, LongType),
      static("hr_slice", "slice", StringType, StringType, LongType, LongType),
      static("hr_slice_bytes", "sliceOfBytes", BinaryType, BinaryType, LongType, LongType),
      "hr_item_list" -> { args: Seq[Expression] => ItemOfList(args(0), args(1)) },
      "hr_slice_list" -> { args: Seq[Expression] => SliceOfList(args(0), args(1), args(2)) },
      "hr_dict_value" -> { args: Seq[Expression] => ItemOfDict(args(0), args(1), Shape.of(args(2)), needed = true) },
      "hr_dict_get" -> { args: Seq[Expression] => ItemOfDict(args(0), args(1), Shape.of(args(2)), needed = false) },
      "hr_dict_get_or" -> { args: Seq[Expression] => ItemOrDefault(args(0), args(1), args(2), Shape.of(args(3))) },
      "hr_dict_has" -> { args: Seq[Expression] => HasKey(args(0), args(1), Shape.of(args(2))) })
  }

  def item(text: UTF8String, index: Long): UTF8String = {
    val at = place(index, text.numChars)
    text.substring(at, at + 1)
  }

  def itemOfBytes(data: Array[Byte], index: Long): Long = data(place(index, data.length)) & 0xff

  def slice(text: UTF8String, start: Long, stop: Long): UTF8String = {
    val length = text.numChars
    text.substring(bound(start, length), Math.max(bound(start, length), bound(stop, length)))
  }

  def sliceOfBytes(data: Array[Byte], start: Long, stop: Long): Array[Byte] = {
    val from = bound(start, data.length)
    java.util.Arrays.copyOfRange(data, from, Math.max(from, bound(stop, data.length)))
  }

  /** Position of an index; a negative one counts from the end. */
  private[headrace] def place(index: Long, length: Int): Int = {
    val at = if (index < 0) index + length else index
    if (at < 0 || at >= length) throw new Refusal(s"there is no [$index] in $length", "LookupError")
    at.toInt
  }

  /** Position of a key in a dict; -1 if it has not got it. */
  private[headrace] def placeOf(dict: MapData, of: DataType, key: Any, shape: Shape): Int = {
    val keys = dict.keyArray()
    (0 until keys.numElements()).indexWhere(place => shape.same(widened(keys.get(place, of), shape), key))
  }

  private[headrace] def keyType(dict: Expression): DataType = dict.dataType.asInstanceOf[MapType].keyType

  /** A key as one of the wider shape of what is looked for. */
  private def widened(key: Any, shape: Shape): Any = (key, shape) match {
    case (small: Int, IntShape) => small.toLong
    case (exact: Decimal, DecimalShape) => UTF8String.fromString(exact.toJavaBigDecimal.toString)
    case _ => key
  }

  /** Position of one end of a slice. */
  private[headrace] def bound(index: Long, length: Int): Int =
    Math.min(Math.max(if (index < 0) index + length else index, 0), length).toInt
}

/** `list[index]` */
case class ItemOfList(left: Expression, right: Expression) extends BinaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = left.dataType.asInstanceOf[ArrayType].elementType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_item_list"

  override def eval(input: InternalRow): Any = {
    val list = left.eval(input).asInstanceOf[ArrayData]
    val at = Items.place(right.eval(input).asInstanceOf[Long], list.numElements())
    if (list.isNullAt(at)) null else list.get(at, dataType)
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): ItemOfList =
    ItemOfList(newLeft, newRight)
}

/** `list[start:stop]` */
case class SliceOfList(first: Expression, second: Expression, third: Expression)
    extends TernaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = first.dataType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_slice_list"

  override def eval(input: InternalRow): Any = {
    val list = first.eval(input).asInstanceOf[ArrayData]
    val from = Items.bound(second.eval(input).asInstanceOf[Long], list.numElements())
    val until = Items.bound(third.eval(input).asInstanceOf[Long], list.numElements())
    val element = dataType.asInstanceOf[ArrayType].elementType
    new GenericArrayData((from until until).map(at => if (list.isNullAt(at)) null else list.get(at, element)).toArray[Any])
  }

  override protected def withNewChildrenInternal(a: Expression, b: Expression, c: Expression): SliceOfList =
    SliceOfList(a, b, c)
}

/** `item in list`: None in the list is equal to no item, and neither is NaN to itself. */
case class Member(left: Expression, right: Expression, shape: Shape)
    extends BinaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_member"

  override def eval(input: InternalRow): Any = {
    val list = left.eval(input).asInstanceOf[ArrayData]
    val item = right.eval(input)
    Rows.items(list, shape.dataType).exists(one => one != null && shape.same(one, item))
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Member =
    copy(left = newLeft, right = newRight)
}

/** `dict[key]`, or `dict.get(key)` where a key that is not there gives null. */
case class ItemOfDict(left: Expression, right: Expression, keys: Shape, needed: Boolean)
    extends BinaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = left.dataType.asInstanceOf[MapType].valueType
  override def nullable: Boolean = true
  override def prettyName: String = if (needed) "hr_dict_value" else "hr_dict_get"

  override def eval(input: InternalRow): Any = {
    val dict = left.eval(input).asInstanceOf[MapData]
    val key = right.eval(input)
    val at = Items.placeOf(dict, Items.keyType(left), key, keys)
    if (at >= 0) { if (dict.valueArray().isNullAt(at)) null else dict.valueArray().get(at, dataType) }
    else if (needed) throw new Refusal(s"there is no ${keys.inside(key)}")
    else null
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): ItemOfDict =
    copy(left = newLeft, right = newRight)
}

/** `dict.get(key, default)` */
case class ItemOrDefault(first: Expression, second: Expression, third: Expression, keys: Shape)
    extends TernaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = third.dataType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_dict_get_or"

  override def eval(input: InternalRow): Any = {
    val dict = first.eval(input).asInstanceOf[MapData]
    val at = Items.placeOf(dict, Items.keyType(first), second.eval(input), keys)
    val default = third.eval(input)
    if (at < 0) default else if (dict.valueArray().isNullAt(at)) null else dict.valueArray().get(at, dataType)
  }

  override protected def withNewChildrenInternal(a: Expression, b: Expression, c: Expression): ItemOrDefault =
    ItemOrDefault(a, b, c, keys)
}

/** `key in dict` */
case class HasKey(left: Expression, right: Expression, keys: Shape)
    extends BinaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_dict_has"

  override def eval(input: InternalRow): Any =
    Items.placeOf(left.eval(input).asInstanceOf[MapData], Items.keyType(left), right.eval(input), keys) >= 0

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): HasKey =
    copy(left = newLeft, right = newRight)
}
