package headrace.functions

import java.util.Locale

import com.ibm.icu.lang.{UCharacter, UProperty}
import com.ibm.icu.lang.UCharacterEnums.ECharacterCategory
import com.ibm.icu.text.CaseMap
import com.ibm.icu.util.ULocale
import org.apache.spark.sql.types.{BooleanType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Character classes: methods of str that ask for the kind of its characters, or change their case, as Python has them. */
object CharClasses {
  private[headrace] def functions =
    Seq("capitalize", "title", "swapcase").map(name => Functions.static(s"hr_$name", getClass, name, StringType, StringType)) ++
      Seq("isalpha", "isdigit", "isdecimal", "isalnum", "isspace", "isupper", "islower", "isascii").map(name =>
        Functions.static(s"hr_$name", getClass, name, BooleanType, StringType))

  // -- kinds

  def isalpha(text: UTF8String): Boolean = all(text, isLetter)
  def isdigit(text: UTF8String): Boolean = all(text, code => numeric(code) == Decimal || numeric(code) == Digit)
  def isdecimal(text: UTF8String): Boolean = all(text, code => numeric(code) == Decimal)
  def isalnum(text: UTF8String): Boolean = all(text, code => isLetter(code) || numeric(code) != 0)
  def isspace(text: UTF8String): Boolean = text.numBytes > 0 && Text.strip(text).numBytes == 0
  def isascii(text: UTF8String): Boolean = text.isFullAscii
  def isupper(text: UTF8String): Boolean = allCased(text, UProperty.UPPERCASE, UProperty.LOWERCASE)
  def islower(text: UTF8String): Boolean = allCased(text, UProperty.LOWERCASE, UProperty.UPPERCASE)

  private val Decimal = UCharacter.NumericType.DECIMAL
  private val Digit = UCharacter.NumericType.DIGIT

  private def numeric(code: Int): Int = UCharacter.getIntPropertyValue(code, UProperty.NUMERIC_TYPE)
  private def isLetter(code: Int): Boolean = UCharacter.isLetter(code)
  private def has(code: Int, property: Int): Boolean = UCharacter.hasBinaryProperty(code, property)

  private def all(text: UTF8String, holds: Int => Boolean): Boolean =
    text.numBytes > 0 && text.toString.codePoints.allMatch(code => holds(code))

  private def allCased(text: UTF8String, wanted: Int, other: Int): Boolean = {
    val codes = text.toString.codePoints.toArray
    codes.exists(has(_, wanted)) && !codes.exists(code => has(code, other) || isTitle(code))
  }

  private def isTitle(code: Int): Boolean = UCharacter.getType(code) == ECharacterCategory.TITLECASE_LETTER

  // -- case: CPython's do_capitalize, do_title and do_swapcase

  def capitalize(text: UTF8String): UTF8String =
    changed(text, (codes, at) => if (at == 0) titled(codes(at)) else lowered(codes, at))

  def title(text: UTF8String): UTF8String =
    changed(text, (codes, at) => if (at > 0 && has(codes(at - 1), UProperty.CASED)) lowered(codes, at) else titled(codes(at)))

  def swapcase(text: UTF8String): UTF8String = changed(text, (codes, at) => {
    val code = codes(at)
    if (has(code, UProperty.UPPERCASE)) lowered(codes, at)
    else if (has(code, UProperty.LOWERCASE)) UCharacter.toUpperCase(ULocale.ROOT, Character.toString(code))
    else Character.toString(code)
  })

  private def changed(text: UTF8String, change: (Array[Int], Int) => String): UTF8String = {
    val codes = text.toString.codePoints.toArray
    val result = new java.lang.StringBuilder
    codes.indices.foreach(at => result.append(change(codes, at)))
    UTF8String.fromString(result.toString)
  }

  private val toTitle = CaseMap.toTitle.wholeString.noBreakAdjustment.noLowercase

  private def titled(code: Int): String = toTitle.apply(Locale.ROOT, null, Character.toString(code))

  /** A letter in lower case; a sigma at the end of a word has a form of its own. */
  private def lowered(codes: Array[Int], at: Int): String =
    if (codes(at) == 0x3a3) if (isFinal(codes, at)) "\u03c2" else "\u03c3"
    else UCharacter.toLowerCase(ULocale.ROOT, Character.toString(codes(at)))

  private def isFinal(codes: Array[Int], at: Int): Boolean = {
    val before = codes.lastIndexWhere(!has(_, UProperty.CASE_IGNORABLE), at - 1)
    val after = codes.indexWhere(!has(_, UProperty.CASE_IGNORABLE), at + 1)
    before >= 0 && has(codes(before), UProperty.CASED) && !(after >= 0 && has(codes(after), UProperty.CASED))
  }
}
