package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, SparkSession, classic}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.types._

/** The records of an application's topics, as its stream threads read them for as long as they run.
  *
  * @param topics in the order they were declared, in which they go at equal times
  */
case class LiveSource(topics: Seq[String], tasks: Int, output: Seq[Attribute]) extends LeafNode {
  override def computeStats(): Statistics = Statistics(sizeInBytes = BigInt(Long.MaxValue))
}

object LiveSource {
  /** The columns of Spark's own Kafka source. */
  private val schema = new StructType()
    .add("key", BinaryType).add("value", BinaryType).add("topic", StringType, nullable = false)
    .add("partition", IntegerType, nullable = false).add("offset", LongType, nullable = false)
    .add("timestamp", TimestampType, nullable = false).add("timestampType", IntegerType, nullable = false)
    .add("headers", ArrayType(new StructType().add("key", StringType).add("value", BinaryType)))

  /** Task n reads the partitions whose numbers are n, and so many more, in all topics. */
  def read(spark: SparkSession, topics: java.util.List[String], tasks: Int): DataFrame =
    classic.Dataset.ofRows(
      spark.asInstanceOf[classic.SparkSession],
      LiveSource(topics.asScala.toSeq, tasks, DataTypeUtils.toAttributes(schema)))
}

case class LiveSourceExec(topics: Seq[String], tasks: Int, output: Seq[Attribute]) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = {
    val topics = this.topics
    new TaskRows(sparkContext, tasks, StreamThread.here.source(topics, _))
  }
}

/** Rows of a task as the stream thread brings them that runs it: `hasNext` is false for now, not for good. */
final class TaskRows(sc: SparkContext, tasks: Int, rows: Int => Iterator[InternalRow]) extends RDD[InternalRow](sc, Nil) {
  override protected def getPartitions: Array[Partition] = Array.tabulate[Partition](tasks)(TaskPartition(_))

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = rows(split.index)
}

final case class TaskPartition(index: Int) extends Partition
