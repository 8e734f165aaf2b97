package headrace.json

import java.util.{ArrayList => JavaList, LinkedHashMap}

import headrace.model.Refusal
import org.apache.spark.unsafe.types.UTF8String

/** Reads JSON in UTF-8 as Python's parser does: takes the same texts, and refuses others in the same words.
  *
  * @param decimals whether numbers with a point or an exponent are Decimals
  * @param ours     whether the text was written by [[JsonOut]] for rows: it may say NaN and Infinity
  */
final class JsonScanner(data: Array[Byte], decimals: Boolean, ours: Boolean = false)
    extends JsonNumbers(data, decimals, ours) {
  private var depth = 0

  /** Goes to the value. */
  def start(): Unit = {
    if (until >= 3 && data(0) == 0xef.toByte && data(1) == 0xbb.toByte && data(2) == 0xbf.toByte)
      throw refusal("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
    space()
  }

  /** Makes sure that nothing is behind the value. */
  def end(): Unit = {
    space()
    if (at != until) throw refusal("Extra data", at)
  }

  /** Kind of the value here: one of `"`, `{`, `[`, `n`, `t`, `f`, and `0` for a number. */
  def kind: Char = {
    if (at >= until) throw noValue(at)
    data(at).toChar match {
      case c @ ('"' | '{' | '[') => c
      case 'n' if isWord("null") => 'n'
      case 't' if isWord("true") => 't'
      case 'f' if isWord("false") => 'f'
      case 'N' if isWord("NaN") => constant("NaN")
      case 'I' if isWord("Infinity") => constant("Infinity")
      case '-' if isWord("-Infinity") => constant("-Infinity")
      case c if c == '-' || (c >= '0' && c <= '9') => '0'
      case _ => throw noValue(at)
    }
  }

  /** Goes behind the null, true or false here. */
  def word(kind: Char): Unit = at += (if (kind == 'f') 5 else 4)

  // -- objects and lists

  /** Goes into the object here; false if it is empty, and behind it then. */
  def beginObject(): Boolean = begin('}')

  /** Goes to the next member; false behind the last one. */
  def moreMembers(): Boolean = more('}')

  def beginList(): Boolean = begin(']')

  def moreItems(): Boolean = more(']')

  private def begin(close: Char): Boolean = {
    at += 1
    depth += 1
    if (depth > JsonScanner.Deepest) throw new Refusal("it is nested too deeply")
    space()
    at >= until || data(at) != close || { leave(); false }
  }

  private def more(close: Char): Boolean = {
    space()
    if (at < until && data(at) == close) { leave(); false }
    else {
      if (at >= until || data(at) != ',') throw refusal("Expecting ',' delimiter", at)
      at += 1
      space()
      true
    }
  }

  private def leave(): Unit = {
    at += 1
    depth -= 1
  }

  /** The key of the member here, and goes to its value. */
  def key(): UTF8String = {
    if (at >= until || data(at) != '"') throw refusal("Expecting property name enclosed in double quotes", at)
    val found = text()
    colon()
    found
  }

  /** Whether the key of the member here is written as these bytes, quotes and all; goes to its value then. */
  def keyIs(quoted: Array[Byte]): Boolean = {
    val end = at + quoted.length
    val equal = end <= until && java.util.Arrays.equals(data, at, end, quoted, 0, quoted.length)
    if (equal) { at = end; colon() }
    equal
  }

  private def colon(): Unit = {
    space()
    if (at >= until || data(at) != ':') throw refusal("Expecting ':' delimiter", at)
    at += 1
    space()
  }

  // -- anything

  /** Value of any kind: null, Boolean, String, Long, BigInteger, Double, Decimal, list or map. */
  def tree(): Any = kind match {
    case 'n' => at += 4; null
    case 't' => at += 4; true
    case 'f' => at += 5; false
    case '"' => string()
    case '0' =>
      number()
      if (isInt) { if (isShort) short else big } else if (decimals) decimal else double
    case '[' =>
      val items = new JavaList[Any]
      var more = beginList()
      while (more) { items.add(tree()); more = moreItems() }
      items
    case _ =>
      val members = new LinkedHashMap[String, Any]
      var more = beginObject()
      while (more) {
        if (at >= until || data(at) != '"') throw refusal("Expecting property name enclosed in double quotes", at)
        val name = string()
        colon()
        members.put(name, tree())
        more = moreMembers()
      }
      members
  }

  /** Goes behind whatever is here. */
  def skip(): Unit = kind match {
    case '"' => text()
    case '0' => number()
    case '[' =>
      var more = beginList()
      while (more) { skip(); more = moreItems() }
    case '{' =>
      var more = beginObject()
      while (more) { key(); skip(); more = moreMembers() }
    case word => this.word(word)
  }

}

object JsonScanner {
  /** Python's depends on how deep its own calls are, and is a little less than 1000. */
  private val Deepest = 950
}
