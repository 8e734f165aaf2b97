package headrace.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType}

/** 0, 1, 2, ... over the rows of a partition, in their order. */
case class Sequence() extends LeafExpression with Nondeterministic {
  @transient private var count: Long = _

  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def stateful: Boolean = true

  override protected def initializeInternal(partitionIndex: Int): Unit = count = 0L

  override protected def evalInternal(input: InternalRow): Any = { count += 1; count - 1 }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val next = ctx.addMutableState(CodeGenerator.JAVA_LONG, "next")
    ctx.addPartitionInitializationStatement(s"$next = 0L;")
    ev.copy(code = code"final long ${ev.value} = $next++;", isNull = FalseLiteral)
  }
}
