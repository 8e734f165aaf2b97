package headrace.shapes

import java.math.BigDecimal

import headrace.functions.{Dates, PythonDecimal}
import headrace.json.{JsonOut, JsonScanner, Mismatch}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** An int of 32 bits. */
case object Int32Shape extends Shape {
  override def name: String = "Int32"
  override def dataType: DataType = IntegerType

  override def read(in: JsonScanner): Any =
    if (in.kind != '0') mismatch(in)
    else {
      val from = in.at
      in.number()
      if (!in.isInt) { in.at = from; mismatch(in) }
      else if (in.big.bitLength < 32) in.big.intValue
      else new Mismatch(s"is the number ${in.big}, which does not fit 32 bits")
    }

  override protected def put(value: Any, out: JsonOut): Unit = out.ascii(value.toString)
  override def shown(value: Any, inside: Boolean): String = value.toString

  def fitted(number: Long): Int =
    if (number == number.toInt) number.toInt else throw new Mismatch(s"is $number, which does not fit 32 bits")
}

/** A date: days since 1970. */
case object DateShape extends Shape {
  override def texts: Boolean = true
  override def name: String = "date"
  override def dataType: DataType = DateType

  override def read(in: JsonScanner): Any = {
    val from = in.at
    val found = if (in.kind == '"') Dates.parseDate(in.text().toString) else None
    found.getOrElse { in.at = from; mismatch(in, "a date such as 2024-05-31") }
  }

  override protected def put(value: Any, out: JsonOut): Unit = out.ascii("\"" + Dates.dateText(value.asInstanceOf[Int]) + "\"")

  override def shown(value: Any, inside: Boolean): String =
    if (inside) Dates.dateRepr(value.asInstanceOf[Int]) else Dates.dateText(value.asInstanceOf[Int])
}

/** A time of day: microseconds since midnight. */
case object TimeShape extends Shape {
  override def texts: Boolean = true
  override def name: String = "time"
  override def dataType: DataType = LongType

  override def read(in: JsonScanner): Any = {
    val from = in.at
    val found = if (in.kind == '"') Dates.parseTime(in.text().toString) else None
    found.getOrElse { in.at = from; mismatch(in, "a time such as 12:30:00") }
  }

  override protected def put(value: Any, out: JsonOut): Unit = out.ascii("\"" + Dates.timeText(value.asInstanceOf[Long]) + "\"")

  override def shown(value: Any, inside: Boolean): String =
    if (inside) Dates.timeRepr(value.asInstanceOf[Long]) else Dates.timeText(value.asInstanceOf[Long])
}

/** A decimal with so many digits in all, and so many behind the point. */
case class ExactDecimalShape(name: String, precision: Int, scale: Int) extends Shape {
  override def texts: Boolean = true
  override def dataType: DataType = DecimalType(precision, scale)
  override def decimals: Boolean = true

  override def read(in: JsonScanner): Any = {
    val from = in.at
    val found = in.kind match {
      case '0' => in.number(); Some(in.decimal)
      case '"' => PythonDecimal.parse(in.text().toString)
      case _ => None
    }
    found.flatMap(fitting).getOrElse { in.at = from; mismatch(in) }
  }

  /** The number with all its digits; None if there is no room for them. */
  private def fitting(number: PythonDecimal): Option[Decimal] = {
    val least = new BigDecimal(if (number.negative) number.digits.negate else number.digits).stripTrailingZeros
    val exponent = number.exponent - least.scale
    if (least.signum == 0) Some(Decimal(BigDecimal.ZERO, precision, scale))
    else if (exponent < -scale || exponent + least.precision > precision - scale) None
    else Some(Decimal(new BigDecimal(least.unscaledValue, -exponent.toInt), precision, scale))
  }

  def fitted(text: UTF8String): Decimal =
    fitting(PythonDecimal.of(text)).getOrElse(throw new Mismatch(s"is $text, which does not fit $name"))

  def text(value: Any): UTF8String = UTF8String.fromString(big(value).toString)

  private def big(value: Any): BigDecimal = value.asInstanceOf[Decimal].toJavaBigDecimal

  override protected def put(value: Any, out: JsonOut): Unit = out.ascii("\"" + big(value).toPlainString + "\"")

  override def same(a: Any, b: Any): Boolean = a.asInstanceOf[Decimal].compare(b.asInstanceOf[Decimal]) == 0

  override def shown(value: Any, inside: Boolean): String =
    if (inside) s"Decimal('${big(value)}')" else big(value).toString
}
