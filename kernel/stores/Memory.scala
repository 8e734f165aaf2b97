package headrace.stores

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** What operators remember beside their stores: numbers, by the names of their nodes and of what they are. */
final class Memory(open: => Cells) {
  private lazy val cells = open
  private val remembered = new mutable.ArrayBuffer[Remembered]

  /** Something of a node's, as it was left in the last batch. */
  def of(node: String, what: String, begin: Long): Remembered = {
    val found = new Remembered(cells, s"$node/$what".getBytes(UTF_8), begin)
    remembered += found
    found
  }

  def flush(): Unit = remembered.foreach(_.flush())
}

/** A number that is there again in the next batch. */
final class Remembered(cells: Cells, key: Array[Byte], begin: Long) {
  private val stored = cells.get(key)
  private var before = if (stored == null) begin else ByteBuffer.wrap(stored).getLong

  var value: Long = before

  def flush(): Unit = if (value != before) {
    cells.put(key, ByteBuffer.allocate(java.lang.Long.BYTES).putLong(value).array)
    before = value
  }
}
