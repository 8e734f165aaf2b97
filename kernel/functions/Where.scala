package headrace.functions

import headrace.kafka.{Position, SinkOptions}
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Position of a record, as topic-partition@offset: only needed when it fails, so that it may take its time.
  *
  * @param left    the number of the queue that it was read into
  * @param right   its offset
  * @param topics  by the places of queues their topics; of those that match a pattern, the pattern between slashes
  * @param options how the broker is asked which topic of a pattern it is
  */
case class Where(left: Expression, right: Expression, topics: Map[Long, String], options: SinkOptions)
    extends BinaryExpression with MayThrow {
  override def dataType: DataType = StringType
  override def prettyName: String = "hr_where"
  override protected def stringArgs: Iterator[Any] = Iterator(left, right) // the options hold passwords

  override def nullSafeEval(source: Any, offset: Any): Any = text(source.asInstanceOf[Long], offset.asInstanceOf[Long])

  override def nullable: Boolean = true

  def text(source: Long, offset: Long): UTF8String = UTF8String.fromString(Position.text(options, topics, source, offset))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val where = ctx.addReferenceObj("where", this)
    nullSafeCodeGen(ctx, ev, (source, offset) =>
      s"${ev.value} = $where.text($source, $offset); ${ev.isNull} = ${ev.value} == null;")
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Where =
    copy(newLeft, newRight)
}
