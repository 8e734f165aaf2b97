package headrace.functions

import java.util.concurrent.ConcurrentHashMap
import java.util.regex.{Matcher, Pattern}

import scala.collection.mutable.ArrayBuffer

import headrace.model.Refusal
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Regular expressions of the kind that means the same to Python and to Java; Python has looked at them before. */
object Patterns {
  private val compiled = new ConcurrentHashMap[UTF8String, Pattern]

  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(name, getClass, method, gives, takes: _*)
    Seq(
      static("hr_matches", "matches", BooleanType, StringType, StringType),
      static("hr_has_match", "hasMatch", BooleanType, StringType, StringType),
      static("hr_first_match", "firstMatch", StringType, StringType, StringType),
      static("hr_all_matches", "allMatches", ArrayType(StringType), StringType, StringType),
      static("hr_replace_matches", "replaceMatches", StringType, StringType, StringType, StringType))
  }

  def matches(text: UTF8String, pattern: UTF8String): Boolean = on(text, pattern)(_.matches)

  def hasMatch(text: UTF8String, pattern: UTF8String): Boolean = on(text, pattern)(_.find)

  def firstMatch(text: UTF8String, pattern: UTF8String): UTF8String =
    on(text, pattern)(found => if (found.find) UTF8String.fromString(found.group) else null)

  def allMatches(text: UTF8String, pattern: UTF8String): ArrayData = on(text, pattern) { found =>
    val all = ArrayBuffer.empty[Any]
    while (found.find) all += UTF8String.fromString(found.group)
    new GenericArrayData(all.toArray)
  }

  def replaceMatches(text: UTF8String, pattern: UTF8String, by: UTF8String): UTF8String =
    on(text, pattern)(found => UTF8String.fromString(found.replaceAll(Matcher.quoteReplacement(by.toString))))

  private def on[T](text: UTF8String, pattern: UTF8String)(use: Matcher => T): T =
    try use(compiledOf(pattern).matcher(text.toString))
    catch { case _: StackOverflowError => throw new Refusal("the text is too long for this pattern") }

  /** (?a) is Java's rule anyway; and of all line ends only \n ends a line, as in Python. */
  private def compiledOf(pattern: UTF8String): Pattern = {
    val known = compiled.get(pattern)
    if (known != null) known
    else {
      val made = Pattern.compile(pattern.toString.stripPrefix("(?a)"), Pattern.UNIX_LINES)
      compiled.put(pattern.copy, made)
      made
    }
  }
}
