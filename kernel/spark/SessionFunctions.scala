package org.apache.spark.sql.headrace

import headrace.functions.Compute
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Alias, BindReferences, Expression}
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils

/** Functions of a session: the `hr_*` functions that it knows, and SQL texts as expressions that call them. */
object SessionFunctions {
  def register(spark: SparkSession, functions: Seq[(String, FunctionBuilder)]): Unit = {
    val registry = state(spark).functionRegistry
    functions.foreach { case (name, builder) => registry.createOrReplaceTempFunction(name, builder, "scala_udf") }
  }

  private def state(spark: SparkSession) = spark.asInstanceOf[classic.SparkSession].sessionState

  /** SQL texts as expressions on a row of the schema of [[Compute]], all analysed at once. */
  def resolve(spark: SparkSession, texts: Seq[String]): Array[Expression] = {
    val relation = LocalRelation(DataTypeUtils.toAttributes(Compute.schema))
    val columns = texts.zipWithIndex.map { case (text, number) =>
      Alias(state(spark).sqlParser.parseExpression(text), s"f$number")()
    }
    val analysed = state(spark).executePlan(Project(columns, relation)).analyzed
    ReplaceExpressions(analysed) match {
      case Project(list, child) => list.map {
        case Alias(expression, _) => BindReferences.bindReference(expression, child.output)
        case other => BindReferences.bindReference(other: Expression, child.output)
      }.toArray
      case other => throw new IllegalStateException(s"not a projection: $other")
    }
  }
}
