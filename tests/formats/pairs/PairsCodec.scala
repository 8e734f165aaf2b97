package headrace_formats

import java.nio.charset.StandardCharsets.UTF_8
import java.util.LinkedHashMap
import java.util.regex.Pattern

import headrace.formats.{Headed, ValueCodec}
import headrace.functions.Codecs
import headrace.model.Refusal
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.sql.types.{DataType, MapType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Pairs of texts in one text, see `formats/pairs`. */
class PairsCodec(settings: String) extends ValueCodec {
  private val Array(header, usual) = settings.split(" ")

  override def dataType: DataType = MapType(StringType, StringType)
  override def headerNames: Set[String] = Set(header)
  override def headersOf(value: Any): Seq[(String, Array[Byte])] = Seq(header -> usual.getBytes(UTF_8))

  override def decode(data: Array[Byte], headers: Headed): Any = {
    val told = headers.last(header)
    val separator = if (told == null) usual else Codecs.decodeString(told).toString
    val text = Codecs.decodeString(data).toString
    val read = new LinkedHashMap[UTF8String, UTF8String]
    if (text.nonEmpty) text.split(Pattern.quote(separator), -1).foreach { pair =>
      val (key, value) = pair.span(_ != '=')
      if (value.isEmpty) throw new Refusal(s"the text $pair is no pair")
      read.put(UTF8String.fromString(key), UTF8String.fromString(value.tail))
    }
    new ArrayBasedMapData(
      new GenericArrayData(read.keySet.toArray), new GenericArrayData(read.values.toArray))
  }

  override def encode(value: Any): Array[Byte] = {
    val map = value.asInstanceOf[MapData]
    val pairs = (0 until map.numElements()).map(at => (map.keyArray().getUTF8String(at), map.valueArray().getUTF8String(at)))
    pairs.flatMap { case (key, text) => Seq(key.toString, text.toString) }
      .filter(one => one.contains('=') || one.contains(usual))
      .foreach(one => throw new Refusal(s"the text $one has a sign of its own in it"))
    pairs.sorted.map { case (key, text) => s"$key=$text" }.mkString(usual).getBytes(UTF_8)
  }
}
