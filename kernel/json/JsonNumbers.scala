package headrace.json

import java.math.BigInteger
import java.nio.charset.StandardCharsets.US_ASCII

import com.fasterxml.jackson.core.io.NumberInput
import headrace.functions.PythonDecimal
import headrace.model.Refusal

/** The numbers of JSON: what is asked about one is about the last one it went by. */
abstract class JsonNumbers(data: Array[Byte], decimals: Boolean, ours: Boolean) extends JsonStrings(data) {
  private var from = 0
  private var whole = 0L
  private var digits = 0
  private var real = false
  private var nearest = 0.0

  /** Goes behind the number here. */
  def number(): Unit = {
    from = at
    whole = 0
    real = false
    if (isConstant) { real = true; nearest = asDouble; return }
    var i = if (data(at) == '-') at + 1 else at
    if (!isDigit(i)) throw noValue(from)
    val first = i
    if (data(i) == '0') i += 1
    else while (isDigit(i)) { whole = whole * 10 + (data(i) - '0'); i += 1 }
    digits = i - first
    if (i < until && data(i) == '.' && isDigit(i + 1)) {
      real = true
      i += 1
      while (isDigit(i)) i += 1
    }
    if (i + 1 < until && (data(i) == 'e' || data(i) == 'E')) {
      val signed = i + 2 < until && (data(i + 1) == '-' || data(i + 1) == '+')
      var j = if (signed) i + 2 else i + 1
      if (isDigit(j)) {
        while (isDigit(j)) j += 1
        real = true
        i = j
      }
    }
    at = i
    if (real) check()
    else if (digits > JsonNumbers.LongestInt) throw new Refusal(
      s"Exceeds the limit (${JsonNumbers.LongestInt} digits) for integer string conversion: value has $digits digits; " +
        "use sys.set_int_max_str_digits() to increase the limit")
  }

  private def check(): Unit = {
    nearest = asDouble
    val fits = if (decimals) PythonDecimal.parse(token).isDefined else !nearest.isInfinite
    if (!fits) throw new Refusal(s"$token is too large a number")
  }

  /** Whether the last number is an int. */
  def isInt: Boolean = !real

  /** Whether the last number, an int, has no more than 18 digits. */
  def isShort: Boolean = digits <= 18

  /** The last number, if it is short. */
  def short: Long = if (data(from) == '-') -whole else whole

  /** The last number, an int of any size. */
  def big: BigInteger = new BigInteger(token)

  def token: String = new String(data, from, at - from, US_ASCII)

  /** The last number, which is not an int. */
  def double: Double = nearest

  /** The last number, whatever it is. */
  def decimal: PythonDecimal = PythonDecimal.parse(if (isInt) big.toString else token).get

  /** Digits that a double holds exactly, times or by a power of ten that it holds too, are rounded once: rightly. */
  private def asDouble: Double = {
    var i = if (data(from) == '-') from + 1 else from
    var mantissa = 0L
    var point = -1
    var read = 0
    while (i < at && (isDigit(i) || data(i) == '.') && read <= 16) {
      if (data(i) == '.') point = i
      else { mantissa = mantissa * 10 + (data(i) - '0'); read += 1 }
      i += 1
    }
    val scale = if (point < 0) 0 else at - point - 1
    if (i == at && read <= 15 && read > 0 && scale <= 22) {
      val number = mantissa / JsonNumbers.Tens(scale)
      if (data(from) == '-') -number else number
    } else token match {
      case "Infinity" => Double.PositiveInfinity
      case "-Infinity" => Double.NegativeInfinity
      case "NaN" => Double.NaN
      case other => NumberInput.parseDouble(other, true)
    }
  }

  private def isDigit(i: Int): Boolean = i < until && data(i) >= '0' && data(i) <= '9'

  protected def constant(name: String): Char = if (ours) '0' else throw new Refusal(s"$name is not JSON")

  private def isConstant: Boolean = ours && {
    val size = if (isWordAt(from, "NaN")) 3 else if (isWordAt(from, "Infinity")) 8 else if (isWordAt(from, "-Infinity")) 9 else 0
    if (size > 0) at = from + size
    size > 0
  }
}

object JsonNumbers {
  private val LongestInt = 4300
  private val Tens = Array.tabulate(23)(power => ("1e" + power).toDouble)
}
