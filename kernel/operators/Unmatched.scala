package headrace.operators

import java.util.Arrays

import scala.collection.mutable

import headrace.model.Bytes
import headrace.spec.NodeSpec
import headrace.stores.Front

/** A record of a join that found no partner; `side` is 0 for the left one, 1 for the right one. */
final class Alone(val ts: Long, val side: Int, val key: Array[Byte], val value: Array[Byte])

/** Records of a join that wait for a partner: values by time, side and key, those of one place in the order they came. */
final class Unmatched(node: NodeSpec, task: Task) {
  import Unmatched._

  private val sides = Array("left", "right").map { side =>
    val newest = task.memory.of(node.name, s"newest unmatched $side", -1)
    new Front[Values](task.cells(node, s"unmatched $side"), newest, read, write)
  }
  private val seen = task.memory.of(node.name, "earliest unmatched", Never)

  /** Nothing that waits is due before this time has passed by; where the last search ended, or what came since. */
  def earliest: Long = seen.value

  /** Let a value wait. */
  def add(ts: Long, side: Int, key: Array[Byte], value: Array[Byte]): Unit = {
    val place = Bytes.timeAndKey(ts, key)
    val values = sides(side).get(place).getOrElse(new Values)
    values += value
    sides(side).put(place, values)
    seen.value = math.min(seen.value, ts)
  }

  /** A partner came: nothing of this place waits any more. */
  def remove(ts: Long, side: Int, key: Array[Byte]): Unit = sides(side).remove(Bytes.timeAndKey(ts, key))

  /** Take what lies before the time that is due for its side, in order: at one time the right side before the left. */
  def expired(due: Array[Long]): Seq[Alone] = {
    val found = Seq(1, 0).flatMap(side => sides(side).takeBefore(Bytes.ofTime(due(side))).flatMap(alone(side)))
    val ordered = found.sortBy(_.ts)
    seen.value = searchedTo(ordered.lastOption.fold(-1L)(_.ts))
    ordered
  }

  def flush(): Unit = sides.foreach(_.flush())

  private def alone(side: Int)(found: (Array[Byte], Values)): Seq[Alone] = {
    val (place, values) = found
    val key = Arrays.copyOfRange(place, Bytes.LongBytes, place.length)
    values.map(new Alone(Bytes.time(place, 0), side, key, _)).toSeq
  }

  /** The time at which a search value by value ends: behind those by which both sides still have to wait. */
  private def searchedTo(lastTaken: Long): Long = {
    val firsts = sides.map(_.first)
    if (firsts.contains(null)) {
      val last = sides.map(_.last).filter(_ != null).map(Bytes.time(_, 0)).foldLeft(lastTaken)(math.max)
      if (last < 0) Never else last
    } else {
      val times = firsts.map(Bytes.time(_, 0))
      val later = if (times(0) >= times(1)) 0 else 1
      if (sides(later).get(firsts(later)).exists(_.length > 1)) times(later)
      else followingTime(later, firsts(later), times(later))
    }
  }

  /** The time of what follows on a place of a side, or of that itself if nothing does. */
  private def followingTime(side: Int, place: Array[Byte], time: Long): Long = {
    val there = Bytes.ofTime(if (side == 0) time + 1 else time)
    val following = Seq(sides(side).firstFrom(Bytes.next(place)), sides(1 - side).firstFrom(there))
    following.filter(_ != null).map(Bytes.time(_, 0)).minOption.getOrElse(time)
  }
}

object Unmatched {
  private type Values = mutable.ArrayBuffer[Array[Byte]]

  val Never: Long = Long.MaxValue

  private def write(values: Values): Array[Byte] = Bytes.packed(values.toSeq: _*)

  private def read(written: Array[Byte]): Values = Bytes.parts(written).to(mutable.ArrayBuffer)
}
