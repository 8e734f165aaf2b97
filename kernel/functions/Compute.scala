package headrace.functions

import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue

import com.google.common.cache.CacheBuilder
import headrace.model.Record
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BinaryType, LongType, StructType}

/** A user's function inside a stage, compiled: from the bytes of its arguments to those of its result. */
final class Compute(expression: Expression, row: GenericInternalRow) {
  private val result = new GenericInternalRow(1)
  private val projection = MutableProjection.create(Seq(expression)).target(result)
  projection.initialize(0)

  /** The result for a record; the arguments beside its own key, value and time are set before. */
  def bytes(record: Record): Array[Byte] = {
    run(record)
    if (result.isNullAt(0)) null else result.getBinary(0)
  }

  /** Whether a condition is true; null is not. */
  def test(record: Record): Boolean = {
    run(record)
    !result.isNullAt(0) && result.getBoolean(0)
  }

  /** All items of a list, each with the bytes of its parts. */
  def parts(record: Record, parts: Int): Iterator[InternalRow] = {
    run(record)
    val items = result.getArray(0)
    Iterator.range(0, items.numElements()).map(items.getStruct(_, parts))
  }

  private def run(record: Record): Unit = {
    row.update(Compute.Key, record.key)
    row.update(Compute.Timestamp, record.ts)
    row.update(Compute.Source, record.source)
    row.update(Compute.Offset, record.offset)
    row.update(Compute.Headers, record.headers)
    projection(row)
  }
}

/** The functions of one stage for one task. They share the row of arguments. */
final class Computes(expressions: Array[Expression]) {
  private val row = new GenericInternalRow(Compute.schema.length)
  private val compiled = expressions.map(new Compute(_, row))

  def apply(number: Int): Compute = compiled(number)

  def value(bytes: Array[Byte]): Unit = row.update(Compute.Value, bytes)

  def aggregate(bytes: Array[Byte]): Unit = row.update(Compute.Aggregate, bytes)

  def sides(left: Array[Byte], right: Array[Byte]): Unit = {
    row.update(Compute.Left, left)
    row.update(Compute.Right, right)
  }
}

object Compute {
  val Key = 0
  val Value = 1
  val Aggregate = 2
  val Left = 3
  val Right = 4
  val Timestamp = 5
  val Source = 6
  val Offset = 7
  val Headers = 8

  /** Schema of the row that functions are computed on. */
  val schema: StructType = new StructType()
    .add("key", BinaryType).add("value", BinaryType).add("aggregate", BinaryType).add("left", BinaryType)
    .add("right", BinaryType).add("timestamp", LongType, nullable = false)
    .add("source", LongType, nullable = false).add("offset", LongType, nullable = false)
    .add("headers", BinaryType)

  /** Part of an item. */
  def bytes(parts: InternalRow, part: Int): Array[Byte] = if (parts.isNullAt(part)) null else parts.getBinary(part)

  /** An executor does not know when a query has ended: those of a stage are forgotten when nobody asks for them. */
  private val idle =
    CacheBuilder.newBuilder.expireAfterAccess(Duration.ofMinutes(10)).build[String, ConcurrentLinkedQueue[Computes]]

  /** Compiled functions of a stage, used by one task at a time and kept for the next batch. */
  def borrow(stage: String, expressions: Array[Expression]): Computes = {
    val kept = idleOf(stage).poll()
    if (kept != null) kept else new Computes(expressions)
  }

  def giveBack(stage: String, computes: Computes): Unit = idleOf(stage).add(computes)

  private def idleOf(stage: String): ConcurrentLinkedQueue[Computes] = idle.get(stage, () => new ConcurrentLinkedQueue)
}
