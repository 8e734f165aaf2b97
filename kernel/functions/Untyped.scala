package headrace.functions

import headrace.json.{JsonScanner, JsonTree}
import headrace.model.Refusal
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Functions of untyped JSON, as Python has them; in rows it is a text. */
object Untyped {
  private[headrace] def functions = {
    def static(name: String, method: String, gives: DataType, takes: DataType*) =
      Functions.static(s"hr_json_$name", getClass, method, gives, takes: _*)
    Seq(
      static("value", "value", StringType, StringType, StringType),
      static("item", "item", StringType, StringType, LongType),
      static("get", "get", StringType, StringType, StringType),
      static("length", "length", LongType, StringType),
      static("contains", "contains", BooleanType, StringType, StringType),
      static("as_str", "asStr", StringType, StringType),
      static("as_int", "asInt", LongType, StringType),
      static("as_float", "asFloat", DoubleType, StringType),
      static("as_bool", "asBool", BooleanType, StringType),
      static("as_list", "asList", ArrayType(StringType), StringType))
  }

  def value(json: UTF8String, key: UTF8String): UTF8String = {
    if (kind(json) != '{') throw new Refusal(s"${shown(json)} has no [${Text.repr(key)}]")
    member(json, key).getOrElse(throw new Refusal(s"there is no ${Text.repr(key)}"))
  }

  def get(json: UTF8String, key: UTF8String): UTF8String = {
    if (kind(json) != '{') throw new Refusal(s"${shown(json)} has no get()")
    member(json, key).orNull
  }

  def item(json: UTF8String, index: Long): UTF8String = {
    if (kind(json) != '[') throw new Refusal(s"${shown(json)} has no [$index]")
    val all = items(json)
    all(Items.place(index, all.length))
  }

  def length(json: UTF8String): Long = kind(json) match {
    case '"' => JsonTree.scanner(json).text().numChars
    case '[' => items(json).length
    case '{' => members(json).length
    case _ => throw new Refusal(s"${shown(json)} has no length")
  }

  def contains(json: UTF8String, part: UTF8String): Boolean = kind(json) match {
    case '"' => JsonTree.scanner(json).text().contains(part)
    case '[' => items(json).exists(one => one != null && kind(one) == '"' && JsonTree.scanner(one).text() == part)
    case '{' => member(json, part).isDefined
    case _ => throw new Refusal(s"nothing is in ${shown(json)}")
  }

  def asStr(json: UTF8String): UTF8String = {
    if (kind(json) != '"') throw wrong(json, "a str")
    JsonTree.scanner(json).text()
  }

  def asInt(json: UTF8String): Long = {
    val in = numberOf(json, "an int")
    if (!in.isInt) throw wrong(json, "an int")
    if (in.isShort) in.short
    else if (in.big.bitLength < 64) in.big.longValue
    else throw new Refusal("the int does not fit 64 bits")
  }

  def asFloat(json: UTF8String): Double = {
    val in = numberOf(json, "a float")
    val number = if (!in.isInt) in.double else if (in.isShort) in.short.toDouble else in.big.doubleValue
    if (in.isInt && number.isInfinite) throw new Refusal("the int does not fit a float")
    number
  }

  def asBool(json: UTF8String): Boolean = kind(json) match {
    case 't' => true
    case 'f' => false
    case _ => throw wrong(json, "a bool")
  }

  def asList(json: UTF8String): ArrayData = {
    if (kind(json) != '[') throw wrong(json, "a list")
    new GenericArrayData(items(json).map(one => one: Any))
  }

  private def numberOf(json: UTF8String, wanted: String): JsonScanner = {
    if (kind(json) != '0') throw wrong(json, wanted)
    val in = JsonTree.scanner(json)
    in.number()
    in
  }

  private def kind(json: UTF8String): Char = JsonTree.scanner(json).kind

  private def shown(json: UTF8String): String = kind(json) match {
    case '"' => "a str"
    case '[' => "a list"
    case '{' => "a dict"
    case '0' =>
      val in = JsonTree.scanner(json)
      in.number()
      if (in.isInt) "an int" else "a float"
    case _ => "a bool"
  }

  private def wrong(json: UTF8String, wanted: String): Refusal =
    new Refusal(s"it is ${shown(json)}, $wanted is needed")

  private def member(json: UTF8String, key: UTF8String): Option[UTF8String] = {
    val bytes = json.getBytes
    val in = new JsonScanner(bytes, decimals = false, ours = true)
    var more = in.beginObject()
    while (more) {
      val found = in.key() == key
      val one = part(bytes, in)
      if (found) return Some(one)
      more = in.moreMembers()
    }
    None
  }

  private def members(json: UTF8String): Array[UTF8String] = {
    val bytes = json.getBytes
    val in = new JsonScanner(bytes, decimals = false, ours = true)
    val keys = Array.newBuilder[UTF8String]
    var more = in.beginObject()
    while (more) {
      keys += in.key()
      in.skip()
      more = in.moreMembers()
    }
    keys.result()
  }

  private def items(json: UTF8String): Array[UTF8String] = {
    val bytes = json.getBytes
    val in = new JsonScanner(bytes, decimals = false, ours = true)
    val all = Array.newBuilder[UTF8String]
    var more = in.beginList()
    while (more) {
      all += part(bytes, in)
      more = in.moreItems()
    }
    all.result()
  }

  /** The value here, null for null. */
  private def part(bytes: Array[Byte], in: JsonScanner): UTF8String = {
    val from = in.at
    val isNull = in.kind == 'n'
    in.skip()
    if (isNull) null else UTF8String.fromBytes(bytes, from, in.at - from)
  }
}
