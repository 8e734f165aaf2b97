package headrace.functions

import headrace.kafka.{Producers, SinkOptions}
import headrace.model.Refusal
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.types.UTF8String

/** Partitions that a partitioner chose: one, several, or none at all. */
object Partitions {
  def of(chosen: Long, count: Long, topic: UTF8String): ArrayData = new GenericArrayData(Array[Any](checked(chosen, count, topic)))

  /** Each once. */
  def of(chosen: ArrayData, count: Long, topic: UTF8String): ArrayData = {
    val partitions = (0 until chosen.numElements()).map { i =>
      if (chosen.isNullAt(i)) throw refusal("None", count, topic)
      checked(chosen.getLong(i), count, topic)
    }
    new GenericArrayData(partitions.distinct.toArray[Any])
  }

  private def checked(partition: Long, count: Long, topic: UTF8String): Int = {
    if (partition < 0 || partition >= count) throw refusal(partition.toString, count, topic)
    partition.toInt
  }

  private def refusal(chosen: String, count: Long, topic: UTF8String): Refusal =
    new Refusal(s"$chosen is none of the partitions of $topic, 0 to ${count - 1}", "RecordFailed")
}

/** Number of partitions of the topic that `child` names; the sink's own producer knows. */
case class PartitionCount(child: Expression, options: SinkOptions) extends UnaryExpression with MayThrow {
  override def dataType: DataType = LongType
  override def prettyName: String = "hr_partition_count"
  override protected def stringArgs: Iterator[Any] = Iterator(child) // the options hold passwords

  override def nullSafeEval(topic: Any): Any = Producers.partitions(options, topic.toString)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val sink = ctx.addReferenceObj("sink", options, classOf[SinkOptions].getName)
    nullSafeCodeGen(ctx, ev, topic =>
      s"${ev.value} = headrace.kafka.Producers.partitions($sink, $topic.toString());")
  }

  override protected def withNewChildInternal(newChild: Expression): PartitionCount = copy(newChild)
}
