package headrace.operators

import headrace.model.{Record, SideOutput}
import headrace.spec.NodeSpec
import headrace.stores.{Emission, Stored}

/** One task's share of a windowed cogroup: its parts do the work, and send on their changes through it. */
class WindowedCogroup(node: NodeSpec, task: Task) extends TableOperator(node, task) {
  private val emission = new Emission(node.everyChange, sendsOld, forward, log)

  override def connect(
      upstream: IndexedSeq[Operator], ways: Array[Way], sideOutputs: Map[SideOutput.Value, Array[Way]]): Unit = {
    super.connect(upstream, ways, sideOutputs)
    upstream.foreach(_.asInstanceOf[Windowed].sendThrough(emission))
  }

  override def onRecord(record: Record): Unit =
    throw new IllegalStateException(s"${node.name}: the parts send on their changes themselves")

  override def get(key: Array[Byte]): Stored = table(0).get(key)

  override def sent(key: Array[Byte]): Stored = table(0).sent(key)

  override def flush(): Unit = emission.flush()
}
