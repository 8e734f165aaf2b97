package headrace.formats

import headrace.functions.{Codecs, Functions}
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.types._

/** One of the primitive serdes: generated code calls the methods of [[Codecs]] itself.
  *
  * @param told the name of the serde, and the type that its values have in rows
  */
class PrimitiveCodec(told: String) extends Codec {
  private val Array(serde, sql) = told.split(" ")

  override val dataType: DataType = DataType.fromDDL(sql)

  /** What the methods take and give: those of whole numbers know one size. */
  private val wide = if (dataType == IntegerType) LongType else dataType

  override def decoding(data: Expression, headers: Expression): Expression = {
    val found = static("decode", wide, BinaryType)(Seq(data))
    if (wide == dataType) found else Cast(found, dataType)
  }

  override def encoding(value: Expression): Expression = static("encode", BinaryType, wide)(Seq(value))

  private def static(verb: String, gives: DataType, takes: DataType) =
    Functions.static(s"hr_$verb", Codecs.getClass, s"$verb${serde.capitalize}", gives, takes)._2
}
