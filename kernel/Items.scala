package org.apache.spark.sql.headrace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** What Python means by items and slices. */
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
      "hr_member" -> { args: Seq[Expression] => Member(args(0), args(1)) })
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

  /** Where an index leads to; a negative one counts from the end. */
  private[headrace] def place(index: Long, length: Int): Int = {
    val at = if (index < 0) index + length else index
    if (at < 0 || at >= length) throw new Refusal(s"there is no [$index] in $length")
    at.toInt
  }

  /** Where one end of a slice is. */
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
case class Member(left: Expression, right: Expression) extends BinaryExpression with MayThrow with CodegenFallback {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_member"

  override def eval(input: InternalRow): Any = {
    val list = left.eval(input).asInstanceOf[ArrayData]
    val item = right.eval(input)
    (0 until list.numElements()).exists(at => !list.isNullAt(at) && same(list.get(at, right.dataType), item))
  }

  private def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.equals(x, y)
    case (x: Double, y: Double) => x == y
    case _ => a == b
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Member =
    Member(newLeft, newRight)
}
