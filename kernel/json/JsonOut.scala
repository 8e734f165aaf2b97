package headrace.json

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Arrays

import headrace.functions.Meaning
import headrace.model.Refusal
import org.apache.spark.unsafe.types.UTF8String

/** Bytes of JSON, without white space.
  *
  * @param inner whether they are a value inside of rows: keys stay in their order, and every float can be said
  */
final class JsonOut(val inner: Boolean) {
  private var data = new Array[Byte](128)
  private var size = 0

  def bytes: Array[Byte] = Arrays.copyOf(data, size)

  def text: UTF8String = UTF8String.fromBytes(bytes)

  def byte(c: Char): Unit = {
    if (size == data.length) data = Arrays.copyOf(data, size * 2)
    data(size) = c.toByte
    size += 1
  }

  def put(more: Array[Byte]): Unit = {
    if (size + more.length > data.length) data = Arrays.copyOf(data, Math.max(size + more.length, data.length * 2))
    System.arraycopy(more, 0, data, size, more.length)
    size += more.length
  }

  def ascii(more: String): Unit = put(more.getBytes(US_ASCII))

  def float(number: Double): Unit =
    if (!number.isNaN && !number.isInfinite) ascii(Meaning.repr(number))
    else if (!inner) throw new Mismatch(s"is ${Meaning.repr(number)}, which JSON cannot say")
    else ascii(if (number.isNaN) "NaN" else if (number > 0) "Infinity" else "-Infinity")

  /** A text in quotes, with the escapes that Python writes. */
  def quoted(text: UTF8String): Unit = {
    val bytes = text.getBytes
    byte('"')
    if (bytes.forall(isPlain)) put(bytes) else bytes.foreach(one => if (isPlain(one)) byte(one.toChar) else escaped(one))
    byte('"')
  }

  private def isPlain(byte: Byte): Boolean = (byte >= 0x20 || byte < 0) && byte != '"' && byte != '\\'

  private def escaped(one: Byte): Unit = one.toChar match {
    case '"' => ascii("\\\"")
    case '\\' => ascii("\\\\")
    case '\n' => ascii("\\n")
    case '\r' => ascii("\\r")
    case '\t' => ascii("\\t")
    case '\f' => ascii("\\f")
    case '\b' => ascii("\\b")
    case control => ascii(f"\\u${control.toInt}%04x")
  }
}

/** A part of a record is not what its type says. Grows its path on the way out. */
final class Mismatch(reason: String) extends RuntimeException(null, null, false, false) {
  private var path = ""

  /** This mismatch, seen from one level up. */
  def below(name: String): Mismatch = step(name)

  def below(place: Int): Mismatch = step(s"[$place]")

  private def step(text: String): Mismatch = {
    path = if (path.isEmpty || path.startsWith("[")) text + path else s"$text.$path"
    this
  }

  def refusal: Refusal = new Refusal(s"${if (path.isEmpty) "it" else path} $reason")
}
