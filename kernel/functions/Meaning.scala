package headrace.functions

import java.math.{BigDecimal, MathContext, RoundingMode}

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal
import headrace.model.Refusal
import org.apache.spark.unsafe.types.UTF8String

/** Operators and conversions of numbers as Python has them, where Java or Spark mean something else.
  *
  * Static methods: generated code calls them by name.
  */
object Meaning {

  private val ExactInDouble = 1L << 53

  // -- ints

  def floordiv(number: Long, by: Long): Long = {
    if (by == 0) throw new Refusal(Refusal.ByZero)
    if (number == Long.MinValue && by == -1) throw new Refusal(Refusal.TooBig)
    Math.floorDiv(number, by)
  }

  def mod(number: Long, by: Long): Long = {
    if (by == 0) throw new Refusal(Refusal.ByZero)
    Math.floorMod(number, by)
  }

  /** The double nearest to the true quotient: the operands may be longer than a double's 53 bits. */
  def truediv(number: Long, by: Long): Double = {
    if (by == 0) throw new Refusal(Refusal.ByZero)
    if (number == 0 || (isExact(number) && isExact(by))) number.toDouble / by.toDouble
    // 120 digits hold every quotient that is a tie between two doubles, and keep all others on their side of one.
    else new BigDecimal(number).divide(new BigDecimal(by), new MathContext(120, RoundingMode.HALF_EVEN)).doubleValue
  }

  private def isExact(number: Long): Boolean = number <= ExactInDouble && number >= -ExactInDouble

  // -- floats

  def truediv(number: Double, by: Double): Double = {
    if (by == 0) throw new Refusal(Refusal.ByZero)
    number / by
  }

  /** CPython's float_rem. */
  def mod(number: Double, by: Double): Double = {
    if (by == 0) throw new Refusal(Refusal.ByZero)
    val rest = number % by
    if (rest == 0) Math.copySign(0.0, by)
    else if ((by < 0) != (rest < 0)) rest + by
    else rest
  }

  /** CPython's float_floor_div. */
  def floordiv(number: Double, by: Double): Double = {
    if (by == 0) throw new Refusal(Refusal.ByZero)
    val rest = number % by
    val exact = (number - rest) / by
    val quotient = if (rest != 0 && (by < 0) != (rest < 0)) exact - 1.0 else exact
    if (quotient == 0) Math.copySign(0.0, number / by)
    else {
      val floor = Math.floor(quotient)
      if (quotient - floor > 0.5) floor + 1.0 else floor
    }
  }

  def neg(number: Double): Double = -number

  // -- comparison: NaN is unequal to and unordered with everything; an int and a float compare by their exact values

  def same(a: Double, b: Double): Boolean = a == b
  def same(a: Long, b: Double): Boolean = order(a, b) == 0
  def same(a: Double, b: Long): Boolean = order(b, a) == 0
  def lt(a: Double, b: Double): Boolean = a < b
  def lt(a: Long, b: Double): Boolean = order(a, b) == -1
  def lt(a: Double, b: Long): Boolean = order(b, a) == 1
  def le(a: Double, b: Double): Boolean = a <= b
  def le(a: Long, b: Double): Boolean = order(a, b) <= 0
  def le(a: Double, b: Long): Boolean = { val o = order(b, a); o == 0 || o == 1 }
  def gt(a: Double, b: Double): Boolean = a > b
  def gt(a: Long, b: Double): Boolean = lt(b, a)
  def gt(a: Double, b: Long): Boolean = lt(b, a)
  def ge(a: Double, b: Double): Boolean = a >= b
  def ge(a: Long, b: Double): Boolean = le(b, a)
  def ge(a: Double, b: Long): Boolean = le(b, a)

  /** -1, 0 or 1, and 2 where there is no order. */
  private def order(a: Long, b: Double): Int =
    if (b != b) 2
    else if (b >= 9223372036854775808.0) -1
    else if (b < -9223372036854775808.0) 1
    else {
      val whole = b.toLong // towards zero
      if (a != whole) java.lang.Long.compare(a, whole)
      else java.lang.Double.compare(0.0, b - whole.toDouble + 0.0)
    }

  // -- conversions

  def integer(number: Double): Long = {
    if (number != number) throw new Refusal(s"${repr(number)} is not an int")
    if (number.isInfinite) throw new Refusal(s"${repr(number)} is not an int", "OverflowError")
    if (number >= 9223372036854775808.0 || number < -9223372036854775808.0) throw new Refusal(Refusal.TooBig)
    number.toLong
  }

  def text(number: Double): UTF8String = UTF8String.fromString(repr(number))

  /** Python's repr: the fewest digits that read back as the same number, with an exponent below 1e-4 and from 1e16 on. */
  private[headrace] def repr(number: Double): String =
    if (number != number) "nan"
    else if (number.isInfinite) if (number > 0) "inf" else "-inf"
    else if (number == 0) if (1 / number > 0) "0.0" else "-0.0"
    else if (Math.abs(number) >= 1e-3 && Math.abs(number) < 1e7) DoubleToDecimal.toString(number) // as Python writes it
    else {
      val shortest = shortestOf(Math.abs(number))
      val digits = shortest.unscaledValue.toString
      val exponent = digits.length - shortest.scale - 1
      val magnitude =
        if (exponent < -4 || exponent >= 16) {
          val fraction = if (digits.length > 1) "." + digits.tail else ""
          s"${digits.head}${fraction}e${if (exponent < 0) "-" else "+"}${f"${Math.abs(exponent)}%02d"}"
        } else {
          val plain = shortest.toPlainString
          if (plain.contains('.')) plain else plain + ".0"
        }
      if (number < 0) "-" + magnitude else magnitude
    }

  /** Java's own rule (from version 19, here in Jackson's copy) wants two digits where Python is content with one. */
  private def shortestOf(number: Double): BigDecimal = {
    val java = new BigDecimal(DoubleToDecimal.toString(number)).stripTrailingZeros
    if (java.precision != 2) java
    else {
      val single = new BigDecimal(number).round(new MathContext(1, RoundingMode.HALF_EVEN))
      if (single.doubleValue == number) single.stripTrailingZeros else java
    }
  }
}
