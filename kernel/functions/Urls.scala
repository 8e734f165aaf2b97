package headrace.functions

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.regex.Pattern

import headrace.model.Refusal
import org.apache.spark.sql.types.{BinaryType, IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Parts of URLs, by the one expression of RFC 3986 (appendix B), and bytes in base64. */
object Urls {
  private val Url = Pattern.compile("(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\\?([^#]*))?(?:#(.*))?", Pattern.DOTALL)
  private val Base64 = Pattern.compile("(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")

  private[headrace] def functions = Seq(
    Functions.static("hr_url_part", getClass, "part", StringType, StringType, IntegerType),
    Functions.static("hr_url_quote", getClass, "quote", StringType, StringType),
    Functions.static("hr_url_unquote", getClass, "unquote", StringType, StringType),
    Functions.static("hr_base64", getClass, "base64", StringType, BinaryType),
    Functions.static("hr_from_base64", getClass, "fromBase64", BinaryType, StringType))

  def part(url: UTF8String, group: Int): UTF8String = {
    val found = Url.matcher(url.toString)
    if (found.matches) UTF8String.fromString(found.group(group)) else null
  }

  def quote(text: UTF8String): UTF8String = {
    val result = new java.lang.StringBuilder
    text.getBytes.foreach { byte =>
      val isPlain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
        byte == '_' || byte == '.' || byte == '-' || byte == '~'
      if (isPlain) result.append(byte.toChar) else result.append(f"%%${byte & 0xff}%02X")
    }
    UTF8String.fromString(result.toString)
  }

  def unquote(text: UTF8String): UTF8String = {
    val bytes = text.getBytes
    val result = new ByteArrayOutputStream
    var at = 0
    while (at < bytes.length) {
      val high = if (bytes(at) == '%' && at + 2 < bytes.length) Character.digit(bytes(at + 1), 16) else -1
      val low = if (high >= 0) Character.digit(bytes(at + 2), 16) else -1
      if (low >= 0) { result.write(high * 16 + low); at += 3 } else { result.write(bytes(at)); at += 1 }
    }
    try Parts.decoded(result.toByteArray)
    catch { case _: Refusal => throw new Refusal("the text is not UTF-8 behind its percent signs") }
  }

  def base64(data: Array[Byte]): UTF8String = UTF8String.fromBytes(java.util.Base64.getEncoder.encode(data))

  def fromBase64(text: UTF8String): Array[Byte] = {
    if (!Base64.matcher(text.toString).matches) throw new Refusal("the text is not base64")
    java.util.Base64.getDecoder.decode(text.toString.getBytes(US_ASCII))
  }
}
