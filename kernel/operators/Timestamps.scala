package headrace.operators

import java.nio.charset.StandardCharsets.UTF_8
import java.util.HashMap

import headrace.model.{Bytes, Fault, FaultKind, QueueBits, Reason, Record, Refusal}
import headrace.spec.NodeSpec
import headrace.stores.Remembered
import org.apache.spark.unsafe.types.UTF8String

/** One task's share of the times of a source: gives each record the time that the source says, and remembers the latest
  * of each partition.
  *
  * Where the failures of the source are read, a record that fails at that goes on with the first time of all, and says so
  * in the place of an old value. One whose bytes do not fit fails at the source itself.
  */
class Timestamps(node: NodeSpec, task: Task) extends Operator(node, task) {
  import Timestamps._

  private val extract = function("time")
  private val topics = node.parameters.textBy("topics").map { case (place, topic) => place.toLong -> topic }
  private val goesOn = node.flag("goes_on")
  private val latestOf = new HashMap[Long, Remembered]

  override def onRecord(record: Record): Unit =
    try stamp(record)
    catch {
      case fault: Fault if goesOn =>
        val told = if (fault.kind == FaultKind.Undecodable) null else mark(fault)
        forward(record.withTime(math.max(record.ts, 0)).withOld(told))
    }

  private def stamp(record: Record): Unit = {
    val latest = latestOf.computeIfAbsent(record.source, partition)
    task.computes.value(record.value)
    task.computes.aggregate(Count.write(latest.value))
    val ts = Count.read(extract.bytes(record))
    if (ts < 0) drop(Reason.NoTime, record)
    else {
      if (ts > latest.value) latest.value = ts
      forward(record.withTime(ts))
    }
  }

  /** The latest time of a partition, which is remembered by name: the numbers of a plan change with it. */
  private def partition(source: Long): Remembered =
    task.memory.of(node.name, s"time of ${topics(source >> QueueBits.Place)} ${source & InPlace}", Unknown)
}

object Timestamps {
  private val Unknown = -1L
  private val InPlace = (1L << QueueBits.Place) - 1

  /** A time that is known, as it is; one that is not is refused. */
  def known(ts: Long, reason: UTF8String): Long = if (ts < 0) throw new Refusal(reason.toString) else ts

  /** Mark of a record whose time is not known; null if it is. */
  def untimed(ts: Long, reason: UTF8String): Array[Byte] =
    if (ts >= 0) null else mark(new Fault(FaultKind.TimestampInvalid, ts.toString, reason.toString, "", null))

  private def mark(fault: Fault): Array[Byte] = Bytes.packed(fault.error.getBytes(UTF_8), fault.told.getBytes(UTF_8))
}
