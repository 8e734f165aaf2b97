package headrace.operators

import headrace.model.{Reason, Record, SideOutput}
import headrace.spec.NodeSpec
import headrace.stores.{Expiry, Kept, Stored}

/** A table: it can be asked for the value of a key, and sends on the changes. */
abstract class TableOperator(node: NodeSpec, task: Task) extends Operator(node, task) {
  protected val sendsOld: Boolean = node.sendsOld

  /** Writes to the changelog what a batch leaves of a row, without a value if it is gone; null if there is none. */
  protected val log: Record => Unit =
    if (node.sideOutputs.get(SideOutput.Stored).forall(_.isEmpty)) null
    else row => sendToSideOutput(SideOutput.Stored, row.bare)

  /** The value of a key now, which may be ahead of the last change that was sent on. */
  def get(key: Array[Byte]): Stored

  /** The value of a key by the changes that were sent on.
    *
    * This is what another table is joined with: a value ahead of its change would be joined twice, and one that is
    * deleted before the batch is over would stay in the result.
    */
  def sent(key: Array[Byte]): Stored = get(key)

  /** The value of a key as it was at a time, where the table is versioned; else the one now. */
  def getAsOf(key: Array[Byte], ts: Long): Stored = get(key)

  /** The rows in the store of this name. */
  protected def kept(store: String): Kept = {
    val expiry = if (node.expiry == null) null else {
      val earliest = task.memory.of(store, "earliest turn", Long.MaxValue)
      new Expiry(node.expiry.ttlMs, task.time(node.expiry.time), task.cachedCells(s"turns of $store"), earliest)
    }
    new Kept(task.cells(store), node.everyChange, sendsOld, forward, log, expiry, drop(Reason.Late, _))
  }
}

/** A table that keeps all of its rows in its store. */
abstract class KeptTable(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  protected val rows: Kept = kept(node.stores.head)

  override def get(key: Array[Byte]): Stored = rows.get(key)

  override def sent(key: Array[Byte]): Stored = rows.sent(key)

  override def flush(): Unit = rows.flush()
}
