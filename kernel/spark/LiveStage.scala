package org.apache.spark.sql.headrace

import headrace.model.{Envelope, Groups, Tally}
import headrace.spec.StageSpec
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, Encoders, classic}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}

/** A stage of an application that runs on stream threads. */
case class LiveStage(
    spec: StageSpec, functions: Array[Expression], tally: Tally, output: Seq[Attribute], child: LogicalPlan) extends UnaryNode {
  override def producedAttributes: AttributeSet = outputSet

  override lazy val references: AttributeSet = child.outputSet

  override protected def stringArgs: Iterator[Any] = Iterator(spec.nodes.map(_.name).mkString("[", ", ", "]"))

  override protected def withNewChildInternal(child: LogicalPlan): LiveStage = copy(child = child)
}

object LiveStage {
  /** Whether a stage over these envelopes runs on stream threads. */
  def reads(envelopes: DataFrame): Boolean = planOf(envelopes).exists(_.isInstanceOf[LiveSource])

  def over(envelopes: DataFrame, spec: StageSpec, functions: Array[Expression], tally: Tally): DataFrame =
    classic.Dataset.ofRows(
      envelopes.sparkSession.asInstanceOf[classic.SparkSession],
      LiveStage(spec, functions, tally, DataTypeUtils.toAttributes(Encoders.product[Envelope].schema), planOf(envelopes)))

  private def planOf(rows: DataFrame): LogicalPlan = rows.asInstanceOf[classic.DataFrame].queryExecution.analyzed
}

/** How Spark plans the parts of an application that runs on stream threads. */
object LivePlanner extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case LiveSource(topics, tasks, output) => Seq(LiveSourceExec(topics, tasks, output))
    case LiveStage(spec, functions, tally, output, child) => Seq(LiveStageExec(spec, functions, tally, output, planLater(child)))
    case _ => Nil
  }
}

/** The tasks of a stage, each run by the stream thread that has its partition. */
case class LiveStageExec(spec: StageSpec, functions: Array[Expression], tally: Tally, output: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode {
  override def producedAttributes: AttributeSet = outputSet

  override protected def stringArgs: Iterator[Any] = Iterator(spec.nodes.map(_.name).mkString("[", ", ", "]"))

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    val tasks = rows.getNumPartitions
    val (spec, functions, tally, in, out) = (this.spec, this.functions, this.tally, child.output.map(_.name), output.map(_.name))
    rows.mapPartitionsWithIndex { (number, rows) =>
      val task = StreamThread.here.task(number, Groups.of(tasks)(number), spec, functions, tally)
      task.live(rows.map(new EnvelopeReader(in))).map(new EnvelopeRow(out))
    }
  }

  override protected def withNewChildInternal(child: SparkPlan): LiveStageExec = copy(child = child)
}
