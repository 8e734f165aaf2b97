package headrace.functions

import java.math.{BigDecimal, BigInteger, RoundingMode}

import headrace.model.Refusal
import org.apache.spark.sql.types._

/** Functions of numbers, as Python has them. */
object Rounding {
  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(name, getClass, method, gives, takes: _*)
    Seq(
      static("hr_absolute", "absolute", LongType, LongType),
      static("hr_absolute_float", "absoluteFloat", DoubleType, DoubleType),
      static("hr_rounded", "rounded", LongType, DoubleType),
      static("hr_rounded_to", "roundedTo", DoubleType, DoubleType, LongType),
      static("hr_floor", "floor", LongType, DoubleType),
      static("hr_ceil", "ceil", LongType, DoubleType),
      static("hr_square_root", "squareRoot", DoubleType, DoubleType),
      static("hr_sign", "sign", LongType, LongType),
      static("hr_power", "power", LongType, LongType, LongType),
      static("hr_least", "least", DoubleType, DoubleType, DoubleType),
      static("hr_greatest", "greatest", DoubleType, DoubleType, DoubleType),
      static("hr_gcd", "gcd", LongType, LongType, LongType),
      static("hr_is_finite", "isFinite", BooleanType, DoubleType),
      static("hr_is_integer", "isInteger", BooleanType, DoubleType),
      static("hr_bit_length", "bitLength", LongType, LongType),
      static("hr_bit_count", "bitCount", LongType, LongType))
  }

  def absolute(number: Long): Long = {
    if (number == Long.MinValue) throw new Refusal(Refusal.TooBig)
    Math.abs(number)
  }

  def absoluteFloat(number: Double): Double = Math.abs(number)

  def rounded(number: Double): Long = Meaning.integer(Math.rint(number))
  def floor(number: Double): Long = Meaning.integer(Math.floor(number))
  def ceil(number: Double): Long = Meaning.integer(Math.ceil(number))

  /** CPython's float___round__: exact, and half to even; beyond these numbers of digits all stay, or none does. */
  def roundedTo(number: Double, digits: Long): Double =
    if (number != number || number.isInfinite || number == 0 || digits > 323) number
    else if (digits < -308) 0.0 * number
    else {
      val rounded = new BigDecimal(number).setScale(digits.toInt, RoundingMode.HALF_EVEN).doubleValue
      if (rounded.isInfinite) throw new Refusal("the rounded number does not fit a float", "OverflowError")
      Math.copySign(rounded, number)
    }

  def squareRoot(number: Double): Double = {
    if (number < 0) throw new Refusal("a negative number has no square root")
    Math.sqrt(number)
  }

  def sign(number: Long): Long = java.lang.Long.signum(number)

  def power(number: Long, power: Long): Long = {
    if (power < 0) throw new Refusal("a negative power of an int is not an int")
    if (power == 0 || number == 1) 1
    else if (number == 0) 0
    else if (number == -1) if (power % 2 == 0) 1 else -1
    else if (power > 63) throw new Refusal(Refusal.TooBig)
    else fitting(BigInteger.valueOf(number).pow(power.toInt))
  }

  def gcd(a: Long, b: Long): Long = fitting(BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)))

  private def fitting(number: BigInteger): Long =
    try number.longValueExact
    catch { case _: ArithmeticException => throw new Refusal(Refusal.TooBig) }

  def least(a: Double, b: Double): Double = if (b < a) b else a
  def greatest(a: Double, b: Double): Double = if (b > a) b else a

  def isFinite(number: Double): Boolean = java.lang.Double.isFinite(number)
  def isInteger(number: Double): Boolean = isFinite(number) && Math.floor(number) == number

  /** Of the size of the number: Python's ints have no sign bit. */
  def bitLength(number: Long): Long = 64 - java.lang.Long.numberOfLeadingZeros(Math.abs(number))
  def bitCount(number: Long): Long = java.lang.Long.bitCount(Math.abs(number))
}
