package headrace.operators

import headrace.functions.{Compute, Computes}
import headrace.model.Record
import headrace.spec.NodeSpec

/** Fold of records into the value of a window. */
abstract class Fold {
  def initial(record: Record): Array[Byte]

  def add(record: Record, aggregate: Array[Byte]): Array[Byte]

  /** Merges the values of two sessions that become one. */
  def merge(record: Record, left: Array[Byte], right: Array[Byte]): Array[Byte]
}

object Fold {
  def of(node: NodeSpec, computes: Computes): Fold = {
    def function(name: String): Compute = computes(node.function(name))
    node.text("fold") match {
      case "count" => Counting
      case "reduce" => new Reducing(computes, function("reducer"))
      case "aggregate" =>
        val merger = if (node.has("merger")) function("merger") else null
        new Aggregating(computes, function("initial"), function("aggregator"), merger)
    }
  }
}

object Counting extends Fold {
  override def initial(record: Record): Array[Byte] = Count.Zero

  override def add(record: Record, aggregate: Array[Byte]): Array[Byte] = Count.next(aggregate)

  override def merge(record: Record, left: Array[Byte], right: Array[Byte]): Array[Byte] =
    Count.write(Count.read(left) + Count.read(right))
}

final class Reducing(computes: Computes, reducer: Compute) extends Fold {
  override def initial(record: Record): Array[Byte] = null

  override def add(record: Record, aggregate: Array[Byte]): Array[Byte] = merge(record, aggregate, record.value)

  override def merge(record: Record, left: Array[Byte], right: Array[Byte]): Array[Byte] =
    if (left == null) right
    else {
      computes.aggregate(left)
      computes.value(right)
      reducer.bytes(record)
    }
}

final class Aggregating(computes: Computes, initial: Compute, aggregator: Compute, merger: Compute) extends Fold {
  override def initial(record: Record): Array[Byte] = initial.bytes(record)

  override def add(record: Record, aggregate: Array[Byte]): Array[Byte] = {
    computes.aggregate(aggregate)
    computes.value(record.value)
    aggregator.bytes(record)
  }

  override def merge(record: Record, left: Array[Byte], right: Array[Byte]): Array[Byte] = {
    computes.sides(left, right)
    merger.bytes(record)
  }
}
