package headrace.functions

import java.time.{DateTimeException, LocalDate}

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Dates of Python's functions, here days since 1970, and times of day, here microseconds since midnight. */
object Dates {
  private val DayMicros = 86400000000L
  private val Iso = """(\d{4})-(\d\d)-(\d\d)""".r
  private val Clock = """(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?""".r

  private[headrace] def functions = {
    def static(name: String, gives: DataType, takes: DataType*)(method: String = name) =
      Functions.static(s"hr_$name", getClass, method, gives, takes: _*)
    Seq(
      static("date_iso", StringType, DateType)("dateIso"),
      static("time_iso", StringType, LongType)("timeIso"),
      static("moment_date", DateType, TimestampType)("dateOf"),
      static("moment_time", LongType, TimestampType)("timeOf")) ++
      Seq("year", "month", "day", "weekday").map(name => static(s"date_$name", LongType, DateType)(name)) ++
      Seq("hour", "minute", "second", "microsecond").map(name => static(s"time_$name", LongType, LongType)(name))
  }

  // -- dates

  def year(date: Int): Long = local(date).getYear
  def month(date: Int): Long = local(date).getMonthValue
  def day(date: Int): Long = local(date).getDayOfMonth
  def weekday(date: Int): Long = local(date).getDayOfWeek.getValue - 1

  private def local(date: Int): LocalDate = LocalDate.ofEpochDay(date)

  def dateIso(date: Int): UTF8String = UTF8String.fromString(dateText(date))

  private[headrace] def dateText(date: Int): String = {
    val at = local(date)
    f"${at.getYear}%04d-${at.getMonthValue}%02d-${at.getDayOfMonth}%02d"
  }

  private[headrace] def dateRepr(date: Int): String = s"datetime.date(${year(date)}, ${month(date)}, ${day(date)})"

  /** None if the text is no date such as 2024-05-31. */
  private[headrace] def parseDate(text: String): Option[Int] = text match {
    case Iso(year, month, day) if year != "0000" =>
      try Some(LocalDate.of(year.toInt, month.toInt, day.toInt).toEpochDay.toInt)
      catch { case _: DateTimeException => None }
    case _ => None
  }

  // -- times of day

  def hour(time: Long): Long = time / 3600000000L
  def minute(time: Long): Long = time / 60000000L % 60
  def second(time: Long): Long = time / 1000000L % 60
  def microsecond(time: Long): Long = time % 1000000L

  def timeIso(time: Long): UTF8String = UTF8String.fromString(timeText(time))

  private[headrace] def timeText(time: Long): String = {
    val whole = f"${hour(time)}%02d:${minute(time)}%02d:${second(time)}%02d"
    if (microsecond(time) == 0) whole else whole + f".${microsecond(time)}%06d"
  }

  private[headrace] def timeRepr(time: Long): String = {
    val parts = Seq(hour(time), minute(time), second(time), microsecond(time))
    val told = if (parts(3) != 0) parts else if (parts(2) != 0) parts.take(3) else parts.take(2)
    told.mkString("datetime.time(", ", ", ")")
  }

  /** None if the text is no time such as 12:30:00. */
  private[headrace] def parseTime(text: String): Option[Long] = text match {
    case Clock(hour, minute, second, fraction) if hour.toInt < 24 && minute.toInt < 60 && second.toInt < 60 =>
      val micros = if (fraction == null) 0L else fraction.padTo(6, '0').toLong
      Some(((hour.toLong * 60 + minute.toLong) * 60 + second.toLong) * 1000000L + micros)
    case _ => None
  }

  // -- of moments

  def dateOf(moment: Long): Int = Math.floorDiv(moment, DayMicros).toInt
  def timeOf(moment: Long): Long = Math.floorMod(moment, DayMicros)
}
