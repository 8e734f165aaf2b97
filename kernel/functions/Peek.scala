package headrace.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Nondeterministic, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BooleanType, DataType}
import org.apache.spark.unsafe.types.UTF8String

/** True for every row, after printing a text of it. Not deterministic, so that Spark neither drops nor repeats it. */
case class Peek(child: Expression) extends UnaryExpression with Nondeterministic {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false

  override protected def initializeInternal(partitionIndex: Int): Unit = ()

  override protected def evalInternal(input: InternalRow): Any =
    Peek.show(child.eval(input).asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val text = child.genCode(ctx)
    ev.copy(code = code"""
      ${text.code}
      boolean ${ev.value} = headrace.functions.Peek.show(${text.isNull} ? null : ${text.value});""",
      isNull = FalseLiteral)
  }

  override protected def withNewChildInternal(newChild: Expression): Peek = copy(newChild)
}

object Peek {
  def show(text: UTF8String): Boolean = {
    System.out.println(if (text == null) "None" else text.toString)
    true
  }
}
