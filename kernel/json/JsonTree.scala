package headrace.json

import java.math.{BigDecimal, BigInteger}
import java.util.{List => JavaList, Map => JavaMap}

import scala.jdk.CollectionConverters._

import headrace.functions.{Meaning, Text}
import headrace.model.Refusal
import org.apache.spark.unsafe.types.UTF8String

/** Untyped JSON taken apart, as [[JsonScanner]] does it. */
object JsonTree {
  def of(text: UTF8String): Any = scanner(text).tree()

  def of(data: Array[Byte], decimals: Boolean): Any = {
    val in = new JsonScanner(data, decimals)
    in.start()
    in.tree()
  }

  private[headrace] def scanner(text: UTF8String) = new JsonScanner(text.getBytes, decimals = false, ours = true)

  /** In JSON's words, and not too long. */
  def shown(tree: Any): String = tree match {
    case null => "null"
    case truth: Boolean => truth.toString
    case text: String =>
      val long = text.codePointCount(0, text.length) > 40
      s"the text '${if (long) text.substring(0, text.offsetByCodePoints(0, 40)) else text}'${if (long) "..." else ""}"
    case number: Double => s"the number ${Meaning.repr(number)}"
    case _: JavaList[_] => "a list"
    case _: JavaMap[_, _] => "an object"
    case number => s"the number $number"
  }

  def write(tree: Any, out: JsonOut): Unit = tree match {
    case null => out.ascii("null")
    case number: Double => out.float(number)
    case text: String => out.quoted(UTF8String.fromString(text))
    case items: JavaList[_] =>
      out.byte('[')
      var place = 0
      items.forEach { item =>
        if (place > 0) out.byte(',')
        try write(item, out) catch { case mismatch: Mismatch => throw mismatch.below(place) }
        place += 1
      }
      out.byte(']')
    case members: JavaMap[String @unchecked, _] =>
      out.byte('{')
      var first = true
      val named = members.asScala.toSeq.map { case (name, member) => UTF8String.fromString(name) -> member }
      (if (out.inner) named else named.sortBy(_._1)).foreach { case (name, member) =>
        if (!first) out.byte(',')
        first = false
        out.quoted(name)
        out.byte(':')
        try write(member, out) catch { case mismatch: Mismatch => throw mismatch.below(name.toString) }
      }
      out.byte('}')
    case other => out.ascii(other.toString)
  }

  /** Equality as `==` has it: a bool is a number as well, and numbers are equal whatever they are written like. */
  def same(a: Any, b: Any): Boolean = (a, b) match {
    case (null, _) | (_, null) => a == b
    case (x: JavaList[_], y: JavaList[_]) =>
      x.size == y.size && x.asScala.zip(y.asScala).forall { case (one, other) => same(one, other) }
    case (x: JavaMap[_, _], y: JavaMap[_, _]) =>
      x.size == y.size && x.asScala.forall { case (name, member) => y.containsKey(name) && same(member, y.get(name)) }
    case (x: String, y: String) => x == y
    case _ => (number(a), number(b)) match {
      case (Some(x: Double), Some(y: Double)) => x == y
      case (Some(x), Some(y)) => exact(x).exists(one => exact(y).exists(_.compareTo(one) == 0))
      case _ => false
    }
  }

  private def number(tree: Any): Option[Any] = tree match {
    case truth: Boolean => Some(if (truth) 1L else 0L)
    case number @ (_: Long | _: Double | _: BigInteger) => Some(number)
    case _ => None
  }

  private def exact(number: Any): Option[BigDecimal] = number match {
    case whole: Long => Some(BigDecimal.valueOf(whole))
    case whole: BigInteger => Some(new BigDecimal(whole))
    case real: Double if real.isNaN || real.isInfinite => None
    case real: Double => Some(new BigDecimal(real))
  }

  /** As Python prints it. */
  def repr(tree: Any): String = tree match {
    case null => "None"
    case truth: Boolean => if (truth) "True" else "False"
    case number: Double => Meaning.repr(number)
    case text: String => Text.repr(UTF8String.fromString(text)).toString
    case items: JavaList[_] => items.asScala.map(repr).mkString("[", ", ", "]")
    case members: JavaMap[_, _] =>
      members.asScala.map { case (name, member) => s"${repr(name)}: ${repr(member)}" }.mkString("{", ", ", "}")
    case other => other.toString
  }

  /** Refuses a tree with half a character in it. */
  def checkLetters(tree: Any): Unit = tree match {
    case text: String =>
      text.codePoints.filter(code => code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE).findFirst
        .ifPresent(code => throw new Refusal(f"\\u$code%04x is half a letter"))
    case items: JavaList[_] => items.forEach(checkLetters(_))
    case members: JavaMap[_, _] => members.forEach { (name, member) => checkLetters(name); checkLetters(member) }
    case _ => ()
  }
}
