package headrace.functions

import headrace.model.Turns
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType}

/** Turn of a record: the latest time of its queue up to it.
  *
  * A task takes the queue whose head has the smallest time. A record waits for those in front of it in its queue, so to
  * go by these latest times, and then by queue and place, is the same; and it stays the same when filters take records
  * out on the way.
  */
case class Turn(left: Expression, right: Expression) extends BinaryExpression with Nondeterministic {
  @transient private var turns: Turns = _

  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def stateful: Boolean = true
  override def prettyName: String = "hr_turn"

  override protected def initializeInternal(partitionIndex: Int): Unit = turns = new Turns

  override protected def evalInternal(input: InternalRow): Any =
    turns.next(left.eval(input).asInstanceOf[Long], right.eval(input).asInstanceOf[Long])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val turns = ctx.addMutableState(classOf[Turns].getName, "turns")
    ctx.addPartitionInitializationStatement(s"$turns = new ${classOf[Turns].getName}();")
    val (queue, ts) = (left.genCode(ctx), right.genCode(ctx))
    ev.copy(
      code = code"${queue.code} ${ts.code} final long ${ev.value} = $turns.next(${queue.value}, ${ts.value});",
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Turn = copy(newLeft, newRight)
}
