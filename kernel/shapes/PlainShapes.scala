package headrace.shapes

import java.util.Base64

import headrace.functions.{Meaning, Moments, PythonDecimal, Text, Urls}
import headrace.json.{JsonOut, JsonScanner, JsonTree, Mismatch}
import headrace.model.Refusal
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

case object StrShape extends Shape {
  override def texts: Boolean = true
  override def name: String = "str"
  override def dataType: DataType = StringType
  override def read(in: JsonScanner): Any = if (in.kind == '"') in.text() else mismatch(in)
  override protected def put(value: Any, out: JsonOut): Unit = out.quoted(value.asInstanceOf[UTF8String])

  override def shown(value: Any, inside: Boolean): String =
    if (inside) Text.repr(value.asInstanceOf[UTF8String]).toString else value.toString
}

case object IntShape extends Shape {
  override def name: String = "int"
  override def dataType: DataType = LongType

  override def read(in: JsonScanner): Any =
    if (in.kind != '0') mismatch(in)
    else {
      val from = in.at
      in.number()
      if (!in.isInt) { in.at = from; mismatch(in) }
      else if (in.isShort) in.short
      else if (in.big.bitLength < 64) in.big.longValue
      else new Mismatch(s"is the number ${in.big}, which does not fit 64 bits")
    }

  override protected def put(value: Any, out: JsonOut): Unit = out.ascii(value.toString)
  override def shown(value: Any, inside: Boolean): String = value.toString
}

case object FloatShape extends Shape {
  override def name: String = "float"
  override def dataType: DataType = DoubleType

  override def read(in: JsonScanner): Any =
    if (in.kind != '0') mismatch(in)
    else {
      in.number()
      val number = if (!in.isInt) in.double else if (in.isShort) in.short.toDouble else in.big.doubleValue
      if (number.isInfinite) new Mismatch("is a number that does not fit a float") else number
    }

  override protected def put(value: Any, out: JsonOut): Unit = out.float(value.asInstanceOf[Double])
  override def same(a: Any, b: Any): Boolean = a.asInstanceOf[Double] == b.asInstanceOf[Double]
  override def token(value: Any): Any = value.asInstanceOf[Double] + 0.0
  override def shown(value: Any, inside: Boolean): String = Meaning.repr(value.asInstanceOf[Double])
}

case object BoolShape extends Shape {
  override def name: String = "bool"
  override def dataType: DataType = BooleanType

  override def read(in: JsonScanner): Any = in.kind match {
    case word @ ('t' | 'f') => in.word(word); word == 't'
    case _ => mismatch(in)
  }

  override protected def put(value: Any, out: JsonOut): Unit = out.ascii(value.toString)
  override def shown(value: Any, inside: Boolean): String = if (value.asInstanceOf[Boolean]) "True" else "False"
}

case object BytesShape extends Shape {
  override def texts: Boolean = true
  override def name: String = "bytes"
  override def dataType: DataType = BinaryType

  override def read(in: JsonScanner): Any = {
    val from = in.at
    if (in.kind != '"') mismatch(in, "bytes in base64")
    else try Urls.fromBase64(in.text())
    catch { case _: Refusal if in.at > from => in.at = from; mismatch(in, "bytes in base64") }
  }

  override protected def put(value: Any, out: JsonOut): Unit = {
    out.byte('"')
    out.put(Base64.getEncoder.encode(value.asInstanceOf[Array[Byte]]))
    out.byte('"')
  }

  override def same(a: Any, b: Any): Boolean =
    java.util.Arrays.equals(a.asInstanceOf[Array[Byte]], b.asInstanceOf[Array[Byte]])

  override def token(value: Any): Any = value.asInstanceOf[Array[Byte]].toSeq

  override def shown(value: Any, inside: Boolean): String = Text.bytesRepr(value.asInstanceOf[Array[Byte]]).toString
}

/** A datetime: microseconds since 1970. */
case object MomentShape extends Shape {
  override def texts: Boolean = true
  override def name: String = "datetime"
  override def dataType: DataType = TimestampType

  override def read(in: JsonScanner): Any = {
    val from = in.at
    if (in.kind != '"') mismatch(in, needed)
    else try Moments.parse(in.text())
    catch { case _: Refusal if in.at > from => in.at = from; mismatch(in, needed) }
  }

  private def needed = "a datetime such as 2024-05-31T12:30:00Z"

  override protected def put(value: Any, out: JsonOut): Unit =
    out.ascii("\"" + Moments.plain(value.asInstanceOf[Long], 'T') + "Z\"")

  override def shown(value: Any, inside: Boolean): String =
    if (inside) Moments.repr(value.asInstanceOf[Long]) else Moments.plain(value.asInstanceOf[Long], ' ') + "+00:00"
}

/** A Decimal: the text that Python writes. */
case object DecimalShape extends Shape {
  override def texts: Boolean = true
  override def name: String = "Decimal"
  override def dataType: DataType = StringType
  override def decimals: Boolean = true

  override def read(in: JsonScanner): Any = {
    val from = in.at
    val found = in.kind match {
      case '0' => in.number(); Some(in.decimal)
      case '"' => PythonDecimal.parse(in.text().toString)
      case _ => None
    }
    found.map(one => UTF8String.fromString(one.toString)).getOrElse { in.at = from; mismatch(in) }
  }

  override protected def put(value: Any, out: JsonOut): Unit = out.quoted(value.asInstanceOf[UTF8String])

  override def same(a: Any, b: Any): Boolean =
    PythonDecimal.of(a.asInstanceOf[UTF8String]).compare(PythonDecimal.of(b.asInstanceOf[UTF8String])) == 0

  override def token(value: Any): Any = PythonDecimal.of(value.asInstanceOf[UTF8String]).token

  override def shown(value: Any, inside: Boolean): String = if (inside) s"Decimal('$value')" else value.toString
}

/** Anything that JSON can say: its text, and null for null. */
case object JsonShape extends Shape {
  override def name: String = "json"
  override def dataType: DataType = StringType
  override def optional: Boolean = true

  override def read(in: JsonScanner): Any = {
    val out = new JsonOut(inner = true)
    val tree = in.tree()
    try {
      JsonTree.write(floats(tree), out)
      if (tree == null) null else out.text
    } catch { case mismatch: Mismatch => mismatch }
  }

  /** Decimals are there only because some other field is one. */
  private def floats(tree: Any): Any = tree match {
    case decimal: PythonDecimal =>
      val number = decimal.toString.toDouble
      if (number.isInfinite) throw new Mismatch("is a number that does not fit a float") else number
    case items: java.util.List[Any @unchecked] => items.replaceAll(floats(_)); items
    case members: java.util.Map[String, Any] @unchecked => members.replaceAll((_, member) => floats(member)); members
    case other => other
  }

  override protected def put(value: Any, out: JsonOut): Unit = {
    val text = value.asInstanceOf[UTF8String]
    if (out.inner) out.put(text.getBytes) else JsonTree.write(JsonTree.of(text), out)
  }

  override def same(a: Any, b: Any): Boolean =
    JsonTree.same(JsonTree.of(a.asInstanceOf[UTF8String]), JsonTree.of(b.asInstanceOf[UTF8String]))

  override def shown(value: Any, inside: Boolean): String = JsonTree.of(value.asInstanceOf[UTF8String]) match {
    case text: String if !inside => text
    case tree => JsonTree.repr(tree)
  }
}

/** Nothing but None. */
case object NoneShape extends Shape {
  override def name: String = "None"
  override def dataType: DataType = NullType
  override def optional: Boolean = true
  override def read(in: JsonScanner): Any = { in.skip(); null }
  override protected def put(value: Any, out: JsonOut): Unit = out.ascii("null")
  override def shown(value: Any, inside: Boolean): String = "None"
}
