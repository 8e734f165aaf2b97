package headrace.functions

import java.math.{BigDecimal, BigInteger, RoundingMode}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Python's `format()` of numbers and texts, in the formats that `headrace.expr.functions.formats` lets through. */
object Formats {
  private[headrace] def functions = {
    def static(name: String, method: String, takes: DataType) =
      Functions.static(name, getClass, method, StringType, takes, StringType)
    Seq(
      static("hr_format_int", "ofInt", LongType),
      static("hr_format_float", "ofFloat", DoubleType),
      static("hr_format_str", "ofText", StringType))
  }

  private final case class Spec(
      fill: String, align: String, sign: String, width: Int, group: String, precision: Option[Int], kind: String)

  private val Form = "(?s)(?:(.)?([<>=^]))?([+ -])?(0)?(\\d+)?([,_])?(?:\\.(\\d+))?([sdf%])?".r
  private val known = new ConcurrentHashMap[UTF8String, Spec]

  def ofInt(number: Long, spec: UTF8String): UTF8String = {
    val of = read(spec)
    if (of.kind == "f" || of.kind == "%") ofFloat(number.toDouble, spec)
    else signed(number < 0, grouped(BigInteger.valueOf(number).abs.toString, of), of)
  }

  def ofFloat(number: Double, spec: UTF8String): UTF8String = {
    val of = read(spec)
    val size = Math.abs(if (of.kind == "%") number * 100 else number)
    val digits =
      if (size.isNaN || size.isInfinite || of.kind.isEmpty) Meaning.repr(size)
      else grouped(new BigDecimal(size).setScale(of.precision.getOrElse(6), RoundingMode.HALF_EVEN).toPlainString, of)
    signed(number < 0 || 1 / number < 0, if (of.kind == "%") digits + "%" else digits, of)
  }

  def ofText(text: UTF8String, spec: UTF8String): UTF8String = {
    val of = read(spec)
    val cut = of.precision.fold(text)(text.substring(0, _))
    UTF8String.fromString(padded("", cut.toString, of, "<"))
  }

  private def signed(negative: Boolean, digits: String, of: Spec): UTF8String =
    UTF8String.fromString(padded(if (negative) "-" else of.sign.replace("-", ""), digits, of, ">"))

  private def padded(sign: String, body: String, of: Spec, usual: String): String = {
    val missing = Math.max(of.width - sign.length - body.codePointCount(0, body.length), 0)
    def fill(times: Int) = of.fill * times
    (if (of.align.isEmpty) usual else of.align) match {
      case "<" => sign + body + fill(missing)
      case ">" => fill(missing) + sign + body
      case "^" => fill(missing / 2) + sign + body + fill(missing - missing / 2)
      case "=" => sign + fill(missing) + body
    }
  }

  /** The digits in front of the point in threes. */
  private def grouped(digits: String, of: Spec): String =
    if (of.group.isEmpty) digits
    else {
      val (whole, rest) = digits.span(_ != '.')
      whole.reverse.grouped(3).mkString(of.group).reverse + rest
    }

  private def read(spec: UTF8String): Spec = {
    val found = known.get(spec)
    if (found != null) found
    else {
      val made = spec.toString match {
        case Form(fill, align, sign, zero, width, group, precision, kind) =>
          def text(part: String) = Option(part).getOrElse("")
          Spec(
            if (fill != null) fill else if (zero != null) "0" else " ",
            if (zero != null) "=" else text(align),
            text(sign), Option(width).fold(0)(_.toInt), text(group), Option(precision).map(_.toInt), text(kind))
      }
      known.put(spec.copy, made)
      made
    }
  }
}
