package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Literal, Murmur3Hash}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Where a record was read, as topic-partition@offset: only needed when it fails, so that it may take its time.
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

  def text(source: Long, offset: Long): UTF8String = UTF8String.fromString(Where.text(options, topics, source, offset))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val where = ctx.addReferenceObj("where", this)
    nullSafeCodeGen(ctx, ev, (source, offset) =>
      s"${ev.value} = $where.text($source, $offset); ${ev.isNull} = ${ev.value} == null;")
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Where =
    copy(newLeft, newRight)
}

object Where {
  import QueueBits._

  /** The topics by their places, of JSON. */
  def topics(json: String): Map[Long, String] =
    new ObjectMapper().readTree(json).properties.asScala.map(one => one.getKey.toLong -> one.getValue.asText).toMap

  /** The offset of a record that comes of none that was read: a timer has made it. */
  val Nowhere = -1L

  /** The topic-partition@offset of a record; null if it was read nowhere. */
  def text(options: SinkOptions, topics: Map[Long, String], source: Long, offset: Long): String = if (offset == Nowhere) null else {
    val name = topics.getOrElse(source >> Place, "?") match {
      case s"/$pattern/" => topic(options, pattern, source)
      case known => known
    }
    s"$name-${source & Partitions}@$offset"
  }

  /** Which of the topics that match a pattern a record was read from.
    *
    * Where that cannot be told it is no name of a topic: all that have the same number, with bars between them, or the
    * pattern between slashes if none has it any more.
    */
  def topic(options: SinkOptions, pattern: String, source: Long): String =
    Producers.topics(options, pattern, (source >> Topic) & Numbers) match {
      case Nil => s"/$pattern/"
      case names => names.mkString("|")
    }

  /** By what topics of one pattern are told apart, as `Queues.of_record` of the planner has it. */
  def number(topic: String): Long = new Murmur3Hash(Seq(Literal(topic))).eval().asInstanceOf[Int] & Numbers
}
