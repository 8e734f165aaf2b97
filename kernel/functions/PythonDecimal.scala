package headrace.functions

import java.math.BigInteger
import java.math.BigInteger.{ONE, TEN, ZERO}

import headrace.model.Refusal
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A finite Decimal of Python: sign, digits and exponent. Java's has no -0, and smaller exponents. */
final case class PythonDecimal(negative: Boolean, digits: BigInteger, exponent: Long) {
  private def isZero = digits.signum == 0
  private def length = digits.toString.length
  private def adjusted = exponent + length - 1

  def unary_- : PythonDecimal =
    (if (isZero) copy(negative = false) else copy(negative = !negative)).rounded

  def +(other: PythonDecimal): PythonDecimal =
    if (isZero && other.isZero)
      PythonDecimal(negative && other.negative, ZERO, Math.min(exponent, other.exponent)).rounded
    else if (isZero) other.scaled(Math.max(Math.min(exponent, other.exponent), other.exponent - PythonDecimal.Precision - 1)).rounded
    else if (other.isZero) other + this
    else {
      val (a, b) = PythonDecimal.aligned(this, other)
      val sum = a.signed.add(b.signed)
      if (sum.signum == 0) PythonDecimal(negative = false, ZERO, Math.min(exponent, other.exponent)).rounded
      else PythonDecimal(sum.signum < 0, sum.abs, a.exponent).rounded
    }

  def -(other: PythonDecimal): PythonDecimal = this + other.copy(negative = !other.negative)

  def *(other: PythonDecimal): PythonDecimal =
    PythonDecimal(negative != other.negative, digits.multiply(other.digits), exponent + other.exponent).rounded

  def compare(other: PythonDecimal): Int =
    if (isZero || other.isZero || negative != other.negative) Integer.compare(sign, other.sign)
    else {
      val size =
        if (adjusted != other.adjusted) java.lang.Long.compare(adjusted, other.adjusted)
        else {
          val lowest = Math.min(exponent, other.exponent)
          scaled(lowest).digits.compareTo(other.scaled(lowest).digits)
        }
      if (negative) -size else size
    }

  /** The same for all that are equal. */
  def token: (Int, BigInteger, Long) = {
    val least = new java.math.BigDecimal(digits).stripTrailingZeros
    if (isZero) (0, ZERO, 0L) else (sign, least.unscaledValue, exponent - least.scale)
  }

  private def sign = if (isZero) 0 else if (negative) -1 else 1
  private def signed = if (negative) digits.negate else digits

  /** This number with a smaller exponent. */
  private def scaled(smaller: Long): PythonDecimal =
    if (isZero) copy(exponent = smaller) else copy(digits = digits.multiply(TEN.pow((exponent - smaller).toInt)), exponent = smaller)

  /** As many digits as results have, and no more than their exponents allow. */
  private def rounded: PythonDecimal = {
    import PythonDecimal._
    if (isZero) copy(exponent = Math.min(Math.max(exponent, Tiniest), Largest))
    else {
      val least = Math.max(Math.max(exponent, adjusted - Precision + 1), Tiniest)
      val result = if (least == exponent) this else halfEven(least)
      if (result.adjusted > Largest) throw new Refusal(TooBig, "OverflowError")
      if (result.isZero) result else if (result.length > Precision) result.rounded else result
    }
  }

  private def halfEven(larger: Long): PythonDecimal = {
    val dropped = larger - exponent
    if (dropped > length) copy(digits = ZERO, exponent = larger)
    else {
      val unit = TEN.pow(dropped.toInt)
      val parts = digits.divideAndRemainder(unit)
      val over = parts(1).shiftLeft(1).compareTo(unit)
      val up = over > 0 || (over == 0 && parts(0).testBit(0))
      copy(digits = if (up) parts(0).add(ONE) else parts(0), exponent = larger)
    }
  }

  override def toString: String = {
    val text = digits.toString
    val left = exponent + text.length
    val point = if (exponent <= 0 && left > -6) left else 1
    val plain =
      if (point <= 0) "0." + "0".repeat((-point).toInt) + text
      else if (point >= text.length) text + "0".repeat((point - text.length).toInt)
      else text.substring(0, point.toInt) + "." + text.substring(point.toInt)
    val power = if (left == point) "" else if (left > point) s"E+${left - point}" else s"E${left - point}"
    (if (negative) "-" else "") + plain + power
  }
}

/** Functions of Decimals, as Python has them; in rows they are texts. */
object PythonDecimal {
  private val Precision = 28
  private val Largest = 999999L
  private val Tiniest = -Largest - Precision + 1
  private val LargestRead = 999999999999999999L
  private val TooBig = "the result does not fit a Decimal"
  private val Text = """([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?""".r

  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(s"hr_decimal_$name", getClass, method, gives, takes: _*)
    Seq("add", "sub", "mul").map(name => static(name, name, StringType, StringType, StringType)) ++
      Seq("lt", "le", "gt", "ge").map(name => static(name, name, BooleanType, StringType, StringType)) ++
      Seq(static("neg", "neg", StringType, StringType), static("float", "floating", DoubleType, StringType))
  }

  def add(a: UTF8String, b: UTF8String): UTF8String = text(of(a) + of(b))
  def sub(a: UTF8String, b: UTF8String): UTF8String = text(of(a) - of(b))
  def mul(a: UTF8String, b: UTF8String): UTF8String = text(of(a) * of(b))
  def neg(a: UTF8String): UTF8String = text(-of(a))
  def lt(a: UTF8String, b: UTF8String): Boolean = of(a).compare(of(b)) < 0
  def le(a: UTF8String, b: UTF8String): Boolean = of(a).compare(of(b)) <= 0
  def gt(a: UTF8String, b: UTF8String): Boolean = of(a).compare(of(b)) > 0
  def ge(a: UTF8String, b: UTF8String): Boolean = of(a).compare(of(b)) >= 0
  def floating(a: UTF8String): Double = a.toString.toDouble

  private[headrace] def of(text: UTF8String): PythonDecimal = parse(text.toString).get
  private def text(decimal: PythonDecimal): UTF8String = UTF8String.fromString(decimal.toString)

  /** None if it is not one, or one that Python does not take. */
  def parse(text: String): Option[PythonDecimal] = text match {
    case Text(sign, whole, part, power) =>
      val fraction = if (part == null) "" else part
      val exponent = (if (power == null) ZERO else new BigInteger(power)).subtract(BigInteger.valueOf(fraction.length))
      val digits = new BigInteger(whole + fraction)
      val top = exponent.add(BigInteger.valueOf(digits.toString.length - 1L))
      val taken = top.compareTo(BigInteger.valueOf(LargestRead)) <= 0 &&
        exponent.compareTo(BigInteger.valueOf(-2 * LargestRead + 1)) >= 0
      if (taken) Some(PythonDecimal(sign == "-", digits, exponent.longValueExact)) else None
    case _ => None
  }

  /** Both with one exponent; one that is too small to matter becomes a 1 just below the last digit that does. */
  private def aligned(first: PythonDecimal, second: PythonDecimal): (PythonDecimal, PythonDecimal) = {
    val swapped = first.exponent < second.exponent
    val (large, small) = if (swapped) (second, first) else (first, second)
    val lowest = large.exponent + Math.min(-1, large.length - Precision - 2)
    val near = if (small.adjusted < lowest) PythonDecimal(small.negative, ONE, lowest) else small
    val scaled = large.scaled(near.exponent)
    if (swapped) (near, scaled) else (scaled, near)
  }
}
