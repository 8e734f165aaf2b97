package headrace.functions

import headrace.model.Fault
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.DataType

/** `child`, or null if it fails. A fault that is told already goes on.
  *
  * No input counts as always evaluated, or common subexpression elimination would take parts of it out of the try.
  */
case class Attempt(child: Expression) extends UnaryExpression with ConditionalExpression with MayThrow {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_attempt"

  override def alwaysEvaluatedInputs: Seq[Expression] = Nil
  override def withNewAlwaysEvaluatedInputs(inputs: Seq[Expression]): Attempt = this
  override def branchGroups: Seq[Seq[Expression]] = Nil

  override def eval(input: InternalRow): Any =
    try child.eval(input)
    catch {
      case fault: Fault => throw fault
      case _: RuntimeException => null
    }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val tried = child.genCode(ctx)
    val (fault, failure) = (ctx.freshName("fault"), ctx.freshName("failure"))
    ev.copy(code = code"""
      boolean ${ev.isNull} = true;
      ${CodeGenerator.javaType(dataType)} ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
      try {
        ${tried.code}
        if (!${tried.isNull}) {
          ${ev.value} = ${tried.value};
          ${ev.isNull} = false;
        }
      } catch (${classOf[Fault].getName} $fault) {
        throw $fault;
      } catch (RuntimeException $failure) {
      }""")
  }

  override protected def withNewChildInternal(newChild: Expression): Attempt = copy(newChild)
}
