package headrace.shapes

import java.util.{HashMap, LinkedHashMap}

import headrace.functions.{Rows, Text}
import headrace.json.{JsonOut, JsonScanner, JsonTree, Mismatch}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Optional value: may be None. */
case class OptionalShape(of: Shape) extends Shape {
  override def name: String = s"${of.name} | None"
  override def dataType: DataType = of.dataType
  override def decimals: Boolean = of.decimals
  override def optional: Boolean = true

  override def read(in: JsonScanner): Any = if (in.kind == 'n') { in.word('n'); null } else of.read(in)
  override protected def put(value: Any, out: JsonOut): Unit = of.write(value, out)
  override def same(a: Any, b: Any): Boolean = of.same(a, b)
  override def token(value: Any): Any = of.token(value)
  override def shown(value: Any, inside: Boolean): String = of.shown(value, inside)
}

/** Member of an Enum: its value, a text or a number. */
case class EnumShape(name: String, listed: String, members: Seq[Shape.EnumMember]) extends Shape {
  private val known = new HashMap[Any, Shape.EnumMember]
  members.foreach(member => known.putIfAbsent(member.value, member))

  override def dataType: DataType = if (texts) StringType else LongType
  override def texts: Boolean = !members.head.value.isInstanceOf[Long]

  override def read(in: JsonScanner): Any = {
    val from = in.at
    val found = in.kind match {
      case '"' => in.text()
      case '0' =>
        in.number()
        if (in.isInt && in.big.bitLength < 64) in.big.longValue else null
      case _ => null
    }
    if (found != null && known.containsKey(found)) found
    else {
      in.at = from
      new Mismatch(s"is ${JsonTree.shown(in.tree())}, $name is one of $listed")
    }
  }

  override protected def put(value: Any, out: JsonOut): Unit = value match {
    case text: UTF8String => out.quoted(text)
    case number => out.ascii(number.toString)
  }

  override def shown(value: Any, inside: Boolean): String =
    if (inside) known.get(value).repr else known.get(value).str
}

case class ListShape(name: String, of: Shape) extends Shape {
  override def dataType: DataType = ArrayType(of.dataType)
  override def decimals: Boolean = of.decimals

  override def read(in: JsonScanner): Any =
    if (in.kind != '[') mismatch(in)
    else {
      val items = Array.newBuilder[Any]
      var wrong: Mismatch = null
      var place = 0
      var more = in.beginList()
      while (more) {
        of.read(in) match {
          case found: Mismatch => if (wrong == null) wrong = found.below(place)
          case found => items += found
        }
        place += 1
        more = in.moreItems()
      }
      if (wrong != null) wrong else new GenericArrayData(items.result())
    }

  override protected def put(value: Any, out: JsonOut): Unit = {
    out.byte('[')
    val items = all(value)
    items.indices.foreach { place =>
      if (place > 0) out.byte(',')
      try of.write(items(place), out) catch { case mismatch: Mismatch => throw mismatch.below(place) }
    }
    out.byte(']')
  }

  private[headrace] def all(value: Any): Array[Any] = Rows.items(value.asInstanceOf[ArrayData], of.dataType)

  override def same(a: Any, b: Any): Boolean = {
    val (x, y) = (all(a), all(b))
    x.length == y.length && x.indices.forall(place => of.sameOrNull(x(place), y(place)))
  }

  override def shown(value: Any, inside: Boolean): String = all(value).map(of.inside).mkString("[", ", ", "]")
}

/** A dict from one shape to another, in the order of its keys. In JSON, keys that are no texts are texts of their JSON. */
case class DictShape(name: String, keys: Shape, of: Shape) extends Shape {
  override def dataType: DataType = MapType(keys.dataType, of.dataType)
  override def decimals: Boolean = of.decimals || keys.decimals

  override def read(in: JsonScanner): Any =
    if (in.kind != '{') mismatch(in)
    else {
      val members = new LinkedHashMap[UTF8String, Any]
      var more = in.beginObject()
      while (more) {
        members.put(in.key(), of.read(in))
        more = in.moreMembers()
      }
      if (keys == StrShape) made(members.keySet.toArray, members.keySet.toArray, members.values.toArray)
      else known(members)
    }

  /** The members by their keys: two texts may say one. */
  private def known(members: LinkedHashMap[UTF8String, Any]): Any = {
    val found = new LinkedHashMap[Any, (Any, Any, Any)]
    val all = members.entrySet.iterator
    while (all.hasNext) {
      val member = all.next()
      val (text, value) = (member.getKey, member.getValue)
      val key = keys.ofKeyText(text)
      if (key.isInstanceOf[Mismatch])
        return new Mismatch(s"has ${JsonTree.shown(text.toString)} as a key, ${keys.name} is needed")
      value match {
        case mismatch: Mismatch => return mismatch.below(text.toString)
        case _ => found.compute(keys.token(key), (_, before) => (text, if (before == null) key else before._2, value))
      }
    }
    val triples = found.values.toArray(new Array[(Any, Any, Any)](0))
    made(triples.map(_._1.asInstanceOf[AnyRef]), triples.map(_._2.asInstanceOf[AnyRef]), triples.map(_._3.asInstanceOf[AnyRef]))
  }

  private def made(texts: Array[AnyRef], keys: Array[AnyRef], values: Array[AnyRef]): Any =
    values.indexWhere(_.isInstanceOf[Mismatch]) match {
      case -1 =>
        new ArrayBasedMapData(new GenericArrayData(keys.map(one => one: Any)), new GenericArrayData(values.map(one => one: Any)))
      case wrong => values(wrong).asInstanceOf[Mismatch].below(texts(wrong).toString)
    }

  override protected def put(value: Any, out: JsonOut): Unit = {
    out.byte('{')
    var first = true
    val all = members(value).map { case (key, member) => (text(key), member) }
    (if (out.inner) all else all.sortBy(_._1)).foreach { case (key, member) =>
      if (!first) out.byte(',')
      first = false
      out.quoted(key)
      out.byte(':')
      try of.write(member, out) catch { case mismatch: Mismatch => throw mismatch.below(key.toString) }
    }
    out.byte('}')
  }

  /** A key as the text that it is in JSON. */
  private[headrace] def text(key: Any): UTF8String =
    if (keys == StrShape) key.asInstanceOf[UTF8String]
    else try keys.keyText(key) catch {
      case _: Mismatch =>
        throw new Mismatch(s"has the key ${keys.inside(key)}, a ${keys.name}, ${keys.name} is needed")
    }

  private[headrace] def members(value: Any): Array[(Any, Any)] = {
    val map = value.asInstanceOf[MapData]
    Rows.items(map.keyArray(), keys.dataType).zip(Rows.items(map.valueArray(), of.dataType))
  }

  override def token(value: Any): Any = throw new IllegalStateException(s"$name is no key")

  override def same(a: Any, b: Any): Boolean = {
    def known(value: Any) = members(value).map { case (key, member) => keys.token(key) -> member }.toMap
    val (x, y) = (known(a), known(b))
    x.size == y.size && x.forall { case (key, member) => y.get(key).exists(of.sameOrNull(member, _)) }
  }

  override def shown(value: Any, inside: Boolean): String =
    members(value).map { case (key, member) => s"${keys.inside(key)}: ${of.inside(member)}" }.mkString("{", ", ", "}")
}

/** Several values in one: a list in JSON. Each may be None. */
case class TupleShape(name: String, columns: Seq[String], of: Seq[Shape]) extends Shape {
  private val parts = of.toArray

  override def dataType: DataType =
    StructType(columns.zip(of).map { case (column, part) => StructField(column, part.dataType) })
  override val decimals: Boolean = of.exists(_.decimals)

  override def read(in: JsonScanner): Any =
    if (in.kind != '[') mismatch(in, needed)
    else {
      val found = new Array[Any](parts.length)
      var place = 0
      var more = in.beginList()
      while (more) {
        if (place < parts.length) found(place) = parts(place).read(in) else in.skip()
        place += 1
        more = in.moreItems()
      }
      if (place != parts.length) new Mismatch(s"is a list, $needed is needed")
      else found.indexWhere(_.isInstanceOf[Mismatch]) match {
        case -1 => new GenericInternalRow(found)
        case wrong => found(wrong).asInstanceOf[Mismatch].below(wrong)
      }
    }

  private def needed = s"$name (a list of ${parts.length})"

  override protected def put(value: Any, out: JsonOut): Unit = {
    out.byte('[')
    val items = all(value)
    parts.indices.foreach { place =>
      if (place > 0) out.byte(',')
      try parts(place).write(items(place), out) catch { case mismatch: Mismatch => throw mismatch.below(place) }
    }
    out.byte(']')
  }

  private[headrace] def all(value: Any): Array[Any] = Rows.fields(value.asInstanceOf[InternalRow], parts.map(_.dataType))

  override def same(a: Any, b: Any): Boolean = {
    val (x, y) = (all(a), all(b))
    parts.indices.forall(place => parts(place).sameOrNull(x(place), y(place)))
  }

  override def token(value: Any): Any = all(value).zip(parts).map { case (item, part) => if (item == null) null else part.token(item) }.toSeq

  override def shown(value: Any, inside: Boolean): String =
    all(value).zip(parts).map { case (item, part) => part.inside(item) }.mkString("(", ", ", ")")
}

/** A key with its window. JSON has no form of it. */
case class WindowedShape(key: Shape) extends Shape {
  private val parts = Array(key, IntShape, IntShape)

  override def name: String = s"Windowed[${key.name}]"
  override def dataType: DataType =
    new StructType().add("key", key.dataType).add("start", LongType).add("end", LongType)

  override def read(in: JsonScanner): Any = mismatch(in)
  override protected def put(value: Any, out: JsonOut): Unit = throw new Mismatch("has no form in JSON")

  private def all(value: Any): Array[Any] = Rows.fields(value.asInstanceOf[InternalRow], parts.map(_.dataType))

  override def same(a: Any, b: Any): Boolean = {
    val (x, y) = (all(a), all(b))
    parts.indices.forall(place => parts(place).sameOrNull(x(place), y(place)))
  }

  override def shown(value: Any, inside: Boolean): String = {
    val Array(of, start, end) = all(value)
    if (inside) s"Windowed(key=${key.inside(of)}, start=$start, end=$end)"
    else s"${if (of == null) "None" else key.shown(of, inside = false)}@$start/$end"
  }
}
