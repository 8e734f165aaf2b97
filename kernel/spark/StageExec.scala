package org.apache.spark.sql.headrace

import java.util.concurrent.TimeUnit.NANOSECONDS

import headrace.functions.{Compute, Computes}
import headrace.kafka.SinkOptions
import headrace.model.{Envelope, Groups, Tally}
import headrace.operators.Task
import headrace.python.PythonTask
import headrace.spec.StageSpec
import headrace.stores.Cells
import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec
import org.apache.spark.sql.execution.streaming.operators.stateful.{StateStoreWriter, StatefulOperatorStateInfo}
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution
import org.apache.spark.sql.execution.streaming.state.headrace.StateCells
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{ColumnarRule, SerializeFromObjectExec, SortExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.util.CompletionIterator

/** One stage as Spark runs it: the rows of a partition are those of one task, and its state is the partition's store. */
case class StageExec(
    spec: StageSpec,
    functions: Array[Expression],
    tally: Tally,
    sink: SinkOptions,
    stateInfo: Option[StatefulOperatorStateInfo],
    output: Seq[Attribute],
    child: SparkPlan) extends UnaryExecNode with StateStoreWriter {

  override def shortName: String = "headraceStage"

  override def producedAttributes: AttributeSet = outputSet

  override protected def stringArgs: Iterator[Any] = Iterator(spec.nodes.map(_.name).mkString("[", ", ", "]"), stateInfo)

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // made on the driver
    child.execute().mapPartitionsWithStateStore[InternalRow](
      getStateInfo,
      StageExec.schema,
      StageExec.schema,
      NoPrefixKeyStateEncoderSpec(StageExec.schema),
      session.sessionState,
      Some(session.streams.stateStoreCoordinator),
      useColumnFamilies = true)(run)
  }

  private def run(store: StateStore, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val began = System.nanoTime
    val db = store.asInstanceOf[RocksDBStateStoreProvider#RocksDBStateStore].dbInstance()
    val computes = Compute.borrow(spec.id, functions)
    val group = Groups.of(getStateInfo.numPartitions)(TaskContext.getPartitionId())
    val inOrder = if (spec.ordered) rows else TaskOrder.sort(rows, child.schema)
    val records = inOrder.map(new EnvelopeReader(child.output.map(_.name)))
    val results = work(group, new StateCells(db, _), computes, records).map(new EnvelopeRow(output.map(_.name)))
    CompletionIterator[InternalRow, Iterator[InternalRow]](results, {
      longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime - began)
      tally.count(Tally.Rows, spec.number.toString, "", StageExec.rows(db))
      longMetric("commitTimeMs") += timeTakenMs(store.commit())
      setStoreMetrics(store)
      setOperatorMetrics()
      Compute.giveBack(spec.id, computes)
    })
  }

  private def work(group: Int, state: String => Cells, computes: Computes, records: Iterator[Envelope]): Iterator[Envelope] =
    if (spec.python == null) new Task(group, spec, state, computes, tally, BatchClock.here).run(records)
    else {
      val context = TaskContext.get()
      val batch = context.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY).toLong
      val task = new PythonTask(group, spec, state, sink, tally, BatchClock.here, batch, context.partitionId())
      context.addTaskCompletionListener[Unit](_ => task.close())
      task.run(records)
    }

  /** Nothing to check: what a store keeps is known to the application, not to Spark. */
  override def validateAndMaybeEvolveStateSchema(
      conf: Configuration, batchId: Long, version: Int): List[StateSchemaValidationResult] = Nil

  override protected def withNewChildInternal(child: SparkPlan): StageExec = copy(child = child)
}

object StageExec {
  /** Spark wants one for keys and values; what is in a store has none. */
  val schema: StructType = new StructType().add("group", IntegerType)

  private val inside = classOf[RocksDB].getDeclaredMethod("db")
  inside.setAccessible(true)

  /** How many rows a store has, as RocksDB guesses: to know it, each would be looked up before it is written. */
  private def rows(db: RocksDB): Long =
    inside.invoke(db).asInstanceOf[org.rocksdb.RocksDB].getLongProperty("rocksdb.estimate-num-keys")
}

/** Puts stages in the place of Spark's own stateful operator, which turns every row into an object and back.
  *
  * It is planned as that one, so that Spark gives it a number and a place in the checkpoint; its rows need no order, and
  * no shuffle if every task reads its own partitions.
  */
object PutStages extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case top @ SerializeFromObjectExec(_, found: TransformWithStateExec) => found.statefulProcessor.asInstanceOf[Any] match {
      case stage: Stage =>
        val child = into(stage.spec, found.child)
        StageExec(stage.spec, stage.functions, stage.tally, stage.sink, found.stateInfo, top.output, child)
      case _ => top
    }
  }

  private def into(spec: StageSpec, plan: SparkPlan): SparkPlan = plan match {
    case sort: SortExec => into(spec, sort.child)
    case shuffle: ShuffleExchangeExec if spec.apart => shuffle.child
    case other => other
  }
}

/** What a session of Spark needs to run stages: `spark.sql.extensions` names this class. */
class Extensions extends (SparkSessionExtensions => Unit) {
  override def apply(session: SparkSessionExtensions): Unit = {
    session.injectPlannerStrategy(_ => LivePlanner)
    session.injectColumnar(_ => new ColumnarRule {
      override def preColumnarTransitions: Rule[SparkPlan] = PutStages
    })
  }
}
