package headrace.functions

import headrace.model.Tally
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Nondeterministic, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BooleanType, DataType}

/** Whether a condition is true of a row; a row of which it is not counts as dropped by a node. */
case class Drop(child: Expression, node: String, reason: String, tally: Tally) extends UnaryExpression with Nondeterministic {
  private def dropping = new Dropping(node, reason, tally)

  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def prettyName: String = "hr_unless_dropped"

  override protected def initializeInternal(partitionIndex: Int): Unit = ()

  override protected def evalInternal(input: InternalRow): Any = dropping.unless(child.eval(input) == true)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val condition = child.genCode(ctx)
    val where = ctx.addReferenceObj("dropping", dropping)
    ev.copy(
      code = code"""
        ${condition.code}
        final boolean ${ev.value} = $where.unless(!${condition.isNull} && ${condition.value});""",
      isNull = FalseLiteral)
  }

  override protected def withNewChildInternal(newChild: Expression): Drop = copy(newChild)
}

/** A node that drops rows, and why it does. */
class Dropping(node: String, reason: String, tally: Tally) extends Serializable {
  def unless(condition: Boolean): Boolean = {
    if (!condition) tally.count(Tally.Drop, node, reason, 1)
    condition
  }
}
