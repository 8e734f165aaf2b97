package headrace.functions

import java.time.{DateTimeException, LocalDateTime, ZoneOffset}
import java.time.temporal.ChronoUnit

import headrace.model.Refusal
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Datetimes in UTC, as Python has them; here they are microseconds since 1970. */
object Moments {
  private val First = -62135596800000000L
  private val Last = 253402300799999999L
  private val Iso = """(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d):(\d\d))""".r

  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(name, getClass, method, gives, takes: _*)
    Seq(
      static("hr_from_ms", "fromMs", TimestampType, LongType),
      static("hr_to_ms", "toMs", LongType, TimestampType),
      static("hr_plus_ms", "plusMs", TimestampType, TimestampType, LongType),
      static("hr_parse_datetime", "parse", TimestampType, StringType),
      static("hr_isoformat", "isoformat", StringType, TimestampType),
      static("hr_moment_timestamp", "timestamp", DoubleType, TimestampType)) ++
      Seq("year", "month", "day", "hour", "minute", "second", "microsecond", "weekday")
        .map(name => static(s"hr_moment_$name", name, LongType, TimestampType)) ++
      Seq("second", "minute", "hour", "day", "month", "year")
        .map(unit => static(s"hr_start_of_$unit", s"startOf${unit.capitalize}", TimestampType, TimestampType))
  }

  def fromMs(ms: Long): Long = plusMs(0, ms)
  def toMs(moment: Long): Long = Math.floorDiv(moment, 1000L)

  def plusMs(moment: Long, ms: Long): Long =
    try checked(Math.addExact(moment, Math.multiplyExact(ms, 1000L)))
    catch { case _: ArithmeticException => throw outside }

  private def checked(moment: Long): Long = if (moment < First || moment > Last) throw outside else moment
  private def outside = new Refusal("the datetime is outside the years 1 to 9999", "OverflowError")

  // -- parts

  def year(moment: Long): Long = local(moment).getYear
  def month(moment: Long): Long = local(moment).getMonthValue
  def day(moment: Long): Long = local(moment).getDayOfMonth
  def hour(moment: Long): Long = local(moment).getHour
  def minute(moment: Long): Long = local(moment).getMinute
  def second(moment: Long): Long = local(moment).getSecond
  def microsecond(moment: Long): Long = Math.floorMod(moment, 1000000L)
  def weekday(moment: Long): Long = local(moment).getDayOfWeek.getValue - 1
  def timestamp(moment: Long): Double = Meaning.truediv(moment, 1000000L)

  def startOfSecond(moment: Long): Long = moment - Math.floorMod(moment, 1000000L)
  def startOfMinute(moment: Long): Long = moment - Math.floorMod(moment, 60000000L)
  def startOfHour(moment: Long): Long = moment - Math.floorMod(moment, 3600000000L)
  def startOfDay(moment: Long): Long = moment - Math.floorMod(moment, 86400000000L)
  def startOfMonth(moment: Long): Long = micros(local(moment).truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1))
  def startOfYear(moment: Long): Long = micros(local(moment).truncatedTo(ChronoUnit.DAYS).withDayOfYear(1))

  private def local(moment: Long): LocalDateTime =
    LocalDateTime.ofEpochSecond(
      Math.floorDiv(moment, 1000000L), Math.floorMod(moment, 1000000L).toInt * 1000, ZoneOffset.UTC)

  private def micros(at: LocalDateTime): Long = at.toEpochSecond(ZoneOffset.UTC) * 1000000L + at.getNano / 1000

  // -- text

  def isoformat(moment: Long): UTF8String = UTF8String.fromString(plain(moment, 'T') + "+00:00")

  /** Without the time zone. */
  private[headrace] def plain(moment: Long, between: Char): String = {
    val at = local(moment)
    val text = new java.lang.StringBuilder(32)
    padded(text, at.getYear, 4).append('-')
    padded(text, at.getMonthValue, 2).append('-')
    padded(text, at.getDayOfMonth, 2).append(between)
    padded(text, at.getHour, 2).append(':')
    padded(text, at.getMinute, 2).append(':')
    padded(text, at.getSecond, 2)
    if (at.getNano != 0) padded(text.append('.'), at.getNano / 1000, 6)
    text.toString
  }

  private def padded(text: java.lang.StringBuilder, number: Int, width: Int): java.lang.StringBuilder = {
    val digits = number.toString
    text.append("0".repeat(width - digits.length)).append(digits)
  }

  private[headrace] def repr(moment: Long): String = {
    val at = local(moment)
    val parts = Seq(at.getYear, at.getMonthValue, at.getDayOfMonth, at.getHour, at.getMinute, at.getSecond, at.getNano / 1000)
    val told = if (parts(6) != 0) parts else if (parts(5) != 0) parts.take(6) else parts.take(5)
    told.mkString("datetime.datetime(", ", ", ", tzinfo=datetime.timezone.utc)")
  }

  def parse(text: UTF8String): Long = text.toString match {
    case Iso(year, month, day, hour, minute, second, fraction, sign, hours, minutes) =>
      val at =
        try LocalDateTime.of(year.toInt, month.toInt, day.toInt, hour.toInt, minute.toInt, second.toInt)
        catch { case _: DateTimeException => throw notOne }
      val parsed = micros(at) + (if (fraction == null) 0 else fraction.padTo(6, '0').toLong)
      val away = if (sign == null) 0 else hours.toInt * 60 + minutes.toInt
      if (sign != null && (hours.toInt > 23 || minutes.toInt > 59)) throw notOne
      val moment = parsed - (if (sign == "-") -away else away) * 60000000L
      if (at.getYear < 1 || moment < First || moment > Last) throw notOne
      moment
    case _ => throw notOne
  }

  private def notOne = new Refusal("the text is not a datetime such as 2024-05-31T12:30:00Z")
}
