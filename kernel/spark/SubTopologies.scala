package org.apache.spark.sql.headrace

import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution._

/** A part of an application's plan that ends in its sink, or where rows go to other tasks.
  *
  * @param into where its rows go; None for the sink
  */
case class SubTopology(plan: SparkPlan, into: Option[Repartitioning])

/** The way of rows to the tasks of a stage, by a topic of the application's own.
  *
  * @param entered the tags of the edges that lead into the stage; other rows pass by it in the task that they are in
  * @param staying those of them whose rows are in the task already that takes them
  */
case class Repartitioning(topic: String, entered: Set[Int], staying: Set[Int])

object SubTopologies {
  /** The parts of a plan, each behind those that it reads from; the last is that of the sink. */
  def of(plan: SparkPlan, app: String, tasks: Int): Seq[SubTopology] = {
    val found = new mutable.ArrayBuffer[SubTopology]
    val last = plan.transformUp {
      case stage: LiveStageExec if tasks > 1 && !stage.spec.apart =>
        val into = Repartitioning(topic(app, stage.spec.number), stage.spec.entries.keySet, stage.spec.staying)
        if (into.entered == into.staying) stage
        else {
          found += SubTopology(stage.child, Some(into))
          stage.copy(child = RepartitionedExec(into, tasks, stage.child.output))
        }
    }
    val all = (found += SubTopology(last, None)).toSeq
    all.foreach(one => refuse(one.plan))
    all
  }

  private def topic(app: String, stage: Int): String = s"$app-stage-$stage-repartition"

  /** Refuse what ends for good when there is no record for a moment: Spark would stop it silently. */
  private def refuse(plan: SparkPlan, generated: Boolean = false): Unit = plan match {
    case whole: WholeStageCodegenExec => refuse(whole.child, generated = true)
    case _: InputAdapter | _: LiveStageExec => plan.children.foreach(refuse(_))
    case _: LiveSourceExec | _: RepartitionedExec => ()
    case _: ProjectExec | _: FilterExec => plan.children.foreach(refuse(_, generated))
    case _: GenerateExec if generated => plan.children.foreach(refuse(_, generated))
    case other => throw new IllegalStateException(
      s"engine=\"live\" cannot run ${other.nodeName}${if (generated) "" else " outside of generated code"}: " +
        "run the application with engine=\"batch\"")
  }
}

/** Rows that came to their task by a topic of the application's own, and those that were in it already. */
case class RepartitionedExec(from: Repartitioning, tasks: Int, output: Seq[Attribute]) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = {
    val (topic, names) = (from.topic, output.map(_.name))
    new TaskRows(sparkContext, tasks, StreamThread.here.repartitioned(topic, _).map(new EnvelopeRow(names)))
  }
}
