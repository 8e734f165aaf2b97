package headrace.live

import java.util

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.TopicPartition

/** Records of a partition that are fetched and not taken yet. */
final class PartitionQueue(val partition: TopicPartition) {
  import PartitionQueue._

  private val waiting = new util.ArrayDeque[Brought]
  private var bytes = 0L
  private var latest = Long.MinValue
  /** Whether no more are fetched, for enough wait here. */
  var paused = false

  def isEmpty: Boolean = waiting.isEmpty

  def isFull: Boolean = waiting.size >= MostRecords || bytes >= MostBytes

  /** Whether half of it is gone again. */
  def hasRoom: Boolean = waiting.size < MostRecords / 2 && bytes < MostBytes / 2

  /** The place of the first that was not taken, if one waits. */
  def head: Option[Long] = Option(waiting.peek).map(_.offset)

  def add(records: util.List[Brought]): Unit = records.forEach { record =>
    waiting.add(record)
    bytes += size(record)
  }

  /** When the turn of the first comes: its time, or the latest one before it. */
  def turn: Long = math.max(latest, waiting.peek.timestamp)

  def take(): Brought = {
    latest = turn
    val record = waiting.poll()
    bytes -= size(record)
    record
  }
}

object PartitionQueue {
  type Brought = ConsumerRecord[Array[Byte], Array[Byte]]

  private val MostRecords = 10000
  private val MostBytes = 32L << 20

  private def size(record: Brought): Int = math.max(0, record.serializedKeySize) + math.max(0, record.serializedValueSize)
}

/** The records of a task's partitions, of which the one is next whose head has the smallest time, see [[Turn]].
  *
  * While a partition has records on the broker that are not here, nothing is taken: they may come first. A partition
  * that is at its end is waited for as long as `idleMs` says.
  *
  * @param lags   whether there is more on the broker, as far as that is known
  * @param ration how many may be taken for now
  */
final class TaskQueue(queues: Array[PartitionQueue], lags: PartitionQueue => Boolean, idleMs: Long, ration: Ration) {
  private var idleSince = 0L

  /** The next record, null if there is none now. */
  def next(): PartitionQueue.Brought = {
    val first = if (queues.length == 1) only else smallest
    if (first == null || !ration.take()) null else first.take()
  }

  /** Whether records wait here. */
  def waits: Boolean = queues.exists(!_.isEmpty)

  private def only: PartitionQueue = if (queues(0).isEmpty) null else queues(0)

  private def smallest: PartitionQueue = {
    var found: PartitionQueue = null
    var empty = false
    var i = 0
    while (i < queues.length) {
      val queue = queues(i)
      if (queue.isEmpty) {
        if (lags(queue)) return null
        empty = true
      } else if (found == null || queue.turn < found.turn) found = queue
      i += 1
    }
    if (!empty) idleSince = 0
    if (found != null && empty && idleMs > 0 && !waitedEnough) null else found
  }

  private def waitedEnough: Boolean = {
    val now = System.nanoTime
    if (idleSince == 0) idleSince = now
    now - idleSince >= idleMs * 1000000
  }
}

/** How many records a task may take before others have their turn, and until when. */
final class Ration {
  private var left = 0
  private var untilNanos = 0L
  /** How many were taken. */
  var taken = 0L
  /** Whether those that wait may not be taken, for others may come first. */
  var held = false

  def renew(untilNanos: Long): Unit = {
    left = Ration.Records
    this.untilNanos = untilNanos
  }

  /** None may be taken until it is renewed. */
  def end(): Unit = left = 0

  def take(): Boolean = {
    val may = left > 0 && (left % Ration.Looks != 0 || System.nanoTime - untilNanos < 0)
    if (may) {
      left -= 1
      taken += 1
    } else left = 0
    may
  }
}

object Ration {
  private val Records = 2000
  /** After so many the clock is looked at. */
  private val Looks = 16
}
