package headrace.model

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** Anything by bytes, in no order. Java's maps need an object around each key, with a slow hash. */
final class BytesMap[V <: AnyRef] {
  import BytesMap._

  private var keys = new Array[Array[Byte]](First)
  /** Hashes of the keys: most keys that are not looked for are told apart by them. */
  private var hashes = new Array[Int](First)
  private var values = new Array[AnyRef](First)
  private var taken = 0

  def size: Int = taken

  /** Value of a key, null if there is none. */
  def get(key: Array[Byte]): V = values(place(key, hashOf(key))).asInstanceOf[V]

  def put(key: Array[Byte], value: V): Unit = {
    val hash = hashOf(key)
    val at = place(key, hash)
    if (keys(at) == null) {
      keys(at) = key
      hashes(at) = hash
      taken += 1
    }
    values(at) = value
    if (taken > keys.length / 2) grow()
  }

  /** All values; none may be put meanwhile. */
  def foreach(take: V => Unit): Unit = {
    var at = 0
    while (at < values.length) {
      if (values(at) != null) take(values(at).asInstanceOf[V])
      at += 1
    }
  }

  def clear(): Unit = if (taken > 0) {
    keys = new Array(First)
    hashes = new Array(First)
    values = new Array(First)
    taken = 0
  }

  /** Slot of a key, there or not. */
  private def place(key: Array[Byte], hash: Int): Int = {
    val last = keys.length - 1
    var at = hash & last
    while (keys(at) != null && !(hashes(at) == hash && Arrays.equals(keys(at), key))) at = (at + 1) & last
    at
  }

  private def grow(): Unit = {
    val (before, known, things) = (keys, hashes, values)
    keys = new Array(before.length * 2)
    hashes = new Array(before.length * 2)
    values = new Array(before.length * 2)
    var at = 0
    while (at < before.length) {
      if (before(at) != null) {
        val to = place(before(at), known(at))
        keys(to) = before(at)
        hashes(to) = known(at)
        values(to) = things(at)
      }
      at += 1
    }
  }
}

object BytesMap {
  private val First = 1024
  private val Seed = 17

  private def hashOf(key: Array[Byte]): Int =
    Murmur3_x86_32.hashUnsafeBytes(key, Platform.BYTE_ARRAY_OFFSET, key.length, Seed)
}
