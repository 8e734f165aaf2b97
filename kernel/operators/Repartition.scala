package headrace.operators

import headrace.functions.Compute
import headrace.model.{Fault, Reason, Record}
import headrace.spec.NodeSpec

/** Sends every record that has a key to the partitions that a function names: where it is read what fails at that.
  *
  * Elsewhere it is done without a stage, see `Native.repartition` in `spark/compile/native.py`.
  */
class Repartition(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val partitions = new ChosenPartitions(this, function("partitions"))
  private val takesNone = node.flag("takes_none")

  override def onRecord(record: Record): Unit =
    if (record.key == null && !takesNone) drop(Reason.NoKey, record)
    else {
      task.computes.value(record.value)
      partitions.of(record).foreach(partition => forward(record.withOld(partition)))
    }
}

/** Partitions that a partitioner inside a stage chose: one, several, or none at all, which drops the record.
  *
  * A partition is in the bytes that go in the place of an old value; null stands for the usual one, by the key.
  */
final class ChosenPartitions(operator: Operator, partitions: Compute) {
  def of(record: Record): Seq[Array[Byte]] =
    try {
      val chosen = partitions.parts(record, 1).map(Compute.bytes(_, 0)).toVector
      if (chosen.isEmpty) operator.drop(Reason.NoPartition, record)
      chosen
    } catch { case fault: Fault if fault.isOfTopic => ChosenPartitions.usual } // which is told when it is written to
}

object ChosenPartitions {
  private val usual = Seq[Array[Byte]](null)
}
