package headrace.operators

import headrace.functions.Compute
import headrace.model.Record
import headrace.spec.NodeSpec

/** Sends on the records whose predicate is true, or those where it is not. */
class Filter(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val predicate = function("predicate")
  private val keep = node.flag("keep")

  override def onRecord(record: Record): Unit = {
    task.computes.value(record.value)
    if (predicate.test(record) == keep) forward(record)
  }
}

/** Gives every record a new key and a new value. */
class MapPairs(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val pair = function("pair")

  override def onRecord(record: Record): Unit = {
    task.computes.value(record.value)
    pair.parts(record, 2).foreach(parts => forward(record.withPair(Compute.bytes(parts, 0), Compute.bytes(parts, 1))))
  }
}

/** Gives every record a new value. */
class MapValues(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val value = function("value")

  override def onRecord(record: Record): Unit = forward(record.withValue(computed(value, record, record.value)))
}

/** Sends on any number of values for every record. */
class FlatMapValues(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val values = function("values")

  override def onRecord(record: Record): Unit = {
    task.computes.value(record.value)
    values.parts(record, 1).foreach(parts => forward(record.withValue(Compute.bytes(parts, 0))))
  }
}

/** Gives every record a new key. */
class SelectKey(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val key = function("key")

  override def onRecord(record: Record): Unit = forward(record.withKey(computed(key, record, record.value)))
}

/** Prints an expression of every record, and sends the record on. */
class PeekAt(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val shown = function("shown")

  override def onRecord(record: Record): Unit = {
    task.computes.value(record.value)
    shown.test(record)
    forward(record)
  }
}

/** Sends on everything, as a merge or a branch does. */
class Pass(node: NodeSpec, task: Task) extends Operator(node, task) {
  override def onRecord(record: Record): Unit = forward(record)
}

/** Sends on the new value of each change; a deletion has none. */
class ToStream(node: NodeSpec, task: Task) extends Operator(node, task) {
  override def onRecord(record: Record): Unit =
    forward(if (record.old == null && record.latest) record else record.change(record.value, null, record.ts))
}

/** Sends each record to the branch of the first predicate that is true, or to the default branch. */
class Split(node: NodeSpec, task: Task) extends Operator(node, task) {
  private val predicates = node.functions("predicates").map(task.computes(_)).toArray
  private val positions = node.branches.toArray

  override def onRecord(record: Record): Unit = {
    task.computes.value(record.value)
    var taken = 0
    while (taken < predicates.length && !predicates(taken).test(record)) taken += 1
    positions.indices.foreach(branch => if (positions(branch) == taken) ways(branch)(record))
  }
}
