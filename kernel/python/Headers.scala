package headrace.python

import headrace.model.Bytes
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, BinaryType, DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Headers as rows have them, and packed for Python: key, value, key, value, ... */
object Headers {
  private val fields = new StructType().add("key", StringType).add("value", BinaryType)
  private val projection = ThreadLocal.withInitial(() => UnsafeProjection.create(Array[DataType](ArrayType(fields))))

  /** Packs the headers of a row; null of null. */
  def plain(packed: Array[Byte]): Array[Byte] = if (packed == null) null else {
    val row = new UnsafeRow(1)
    row.pointTo(packed, packed.length)
    val list = row.getArray(0)
    Bytes.packed((0 until list.numElements).flatMap { place =>
      val header = list.getStruct(place, fields.length)
      Seq(header.getUTF8String(0).getBytes, if (header.isNullAt(1)) null else header.getBinary(1))
    }: _*)
  }

  /** Unpacks headers for a row; null of null. */
  def packed(whole: Array[Byte]): Array[Byte] = if (whole == null) null else {
    val headers = Bytes.parts(whole).grouped(2).map(pair => InternalRow(UTF8String.fromBytes(pair(0)), pair(1)))
    projection.get()(InternalRow(new GenericArrayData(headers.toArray[Any]))).copy().getBytes
  }
}
