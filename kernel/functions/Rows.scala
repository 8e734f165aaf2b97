package headrace.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode, GenerateUnsafeProjection}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{BinaryType, DataType}

/** Parts of values in rows. */
object Rows {
  def items(list: ArrayData, of: DataType): Array[Any] =
    Array.tabulate(list.numElements())(place => if (list.isNullAt(place)) null else list.get(place, of))

  def fields(row: InternalRow, of: Array[DataType]): Array[Any] =
    Array.tabulate(of.length)(place => if (row.isNullAt(place)) null else row.get(place, of(place)))
}

/** A value of any type as the bytes of a one-field `UnsafeRow`, which are not used for the next one; null stays null. */
case class Pack(child: Expression) extends UnaryExpression {
  override def dataType: DataType = BinaryType
  override def nullIntolerant: Boolean = true

  @transient private lazy val projection = UnsafeProjection.create(Array(child.dataType))

  override protected def nullSafeEval(value: Any): Any = projection(InternalRow(value)).copy().getBytes

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val row = GenerateUnsafeProjection.createCode(ctx, Seq(child))
    ev.copy(code = code"""
      ${row.code}
      boolean ${ev.isNull} = ${row.value}.isNullAt(0);
      byte[] ${ev.value} = ${ev.isNull} ? null : ${row.value}.copy().getBytes();""")
  }

  override protected def withNewChildInternal(newChild: Expression): Pack = copy(newChild)
}

/** Value that `Pack` has made into bytes. */
case class Unpack(child: Expression, dataType: DataType) extends UnaryExpression {
  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(value: Any): Any = {
    val row = new UnsafeRow(1)
    val bytes = value.asInstanceOf[Array[Byte]]
    row.pointTo(bytes, bytes.length)
    row.get(0, dataType)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = nullSafeCodeGen(ctx, ev, bytes => {
    val row = ctx.freshName("row")
    s"""
      UnsafeRow $row = new UnsafeRow(1);
      $row.pointTo($bytes, $bytes.length);
      ${ev.value} = ${CodeGenerator.getValue(row, dataType, "0")};"""
  })

  override protected def withNewChildInternal(newChild: Expression): Unpack = copy(newChild)
}
