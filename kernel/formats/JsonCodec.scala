package headrace.formats

import headrace.shapes.Shape
import org.apache.spark.sql.types.DataType

/** JSON of a type, which Python tells as a [[Shape]]. */
class JsonCodec(told: String) extends ValueCodec {
  private val shape = Shape.of(told)

  override def dataType: DataType = shape.dataType
  override def decode(data: Array[Byte], headers: Headed): Any = shape.decode(data)
  override def encode(value: Any): Array[Byte] = shape.encode(value)
}
