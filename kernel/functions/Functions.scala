package headrace.functions

import headrace.formats.Codec
import headrace.kafka.{Position, SinkOptions}
import headrace.model.{Fault, Groups, Tally}
import headrace.operators.Timestamps
import headrace.shapes.Shape
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.types._

/** The `hr_*` functions that SQL text from Python calls. */
object Functions {
  /** Functions that look at the topics of the broker that `sink` writes to. */
  def ofSink(sink: SinkOptions): Seq[(String, FunctionBuilder)] = Seq(
    "hr_partition_count" -> { case Seq(topic) => PartitionCount(topic, sink) },
    "hr_where" -> { case Seq(source, offset, topics) => Where(source, offset, Position.topics(topics.eval().toString), sink) })

  private val words = ArrayType(StringType, containsNull = false)

  /** All functions but those of a sink; `tally` counts what they drop. */
  def all(tally: Tally): Seq[(String, FunctionBuilder)] =
    counting(tally) ++ special ++ plumbing ++ numbers ++ comparisons ++ texts ++ windowedKeys ++ Codec.functions ++
      CharClasses.functions ++ Parts.functions ++ Rounding.functions ++ Formats.functions ++ Moments.functions ++
      Dates.functions ++ Urls.functions ++ Patterns.functions ++ Items.functions ++
      PythonDecimal.functions ++ Untyped.functions ++ Shape.functions

  private def special: Seq[(String, FunctionBuilder)] = Seq(
    "hr_guard" -> { case Seq(body, kind, subject, where) => Guard(body, kind, subject, where) },
    "hr_ran" -> { case Seq(value) => Ran(value) },
    "hr_some" -> {
      case Seq(value, reason) => Present(value, reason, "TypeError")
      case Seq(value, reason, error) => Present(value, reason, error.eval().toString)
    },
    "hr_and" -> { case Seq(left, right) => Shortcut(left, right, decides = false) },
    "hr_or" -> { case Seq(left, right) => Shortcut(left, right, decides = true) },
    "hr_attempt" -> { case Seq(body) => Attempt(body) },
    "hr_same" -> { case Seq(left, right) => Same(left, right) })

  /** Functions that move rows between stages. */
  private def plumbing: Seq[(String, FunctionBuilder)] = Seq(
    "hr_sequence" -> { _: Seq[Expression] => Sequence() },
    static("hr_known_time", Timestamps.getClass, "known", LongType, LongType, StringType),
    static("hr_untimed", Timestamps.getClass, "untimed", BinaryType, LongType, StringType),
    static("hr_partitions", Partitions.getClass, "of", ArrayType(IntegerType)),
    "hr_turn" -> { case Seq(queue, ts) => Turn(queue, ts) },
    "hr_peek" -> { case Seq(text) => Peek(text) },
    "hr_pack" -> { case Seq(value) => Pack(value) },
    "hr_unpack" -> { case Seq(bytes, ddl) => Unpack(bytes, DataType.fromDDL(ddl.eval().toString)) },
    static("hr_new_partition", Fault.getClass, "newPartition", IntegerType, StringType, IntegerType),
    "hr_bucket" -> { args: Seq[Expression] =>
      StaticInvoke(Groups.getClass, IntegerType, "bucket", args, Seq(BinaryType, IntegerType), propagateNull = true)
    })

  private def counting(tally: Tally): Seq[(String, FunctionBuilder)] = Seq(
    "hr_unless_dropped" -> { case Seq(kept, node, reason) => Drop(kept, node.eval().toString, reason.eval().toString, tally) })

  private val Exact = Map("add" -> "addExact", "sub" -> "subtractExact", "mul" -> "multiplyExact", "neg" -> "negateExact")

  private def numbers: Seq[(String, FunctionBuilder)] = {
    val exact = classOf[java.lang.Math]
    val wraps = Wrapping.getClass
    val meaning = Meaning.getClass
    Seq(
      static("hr_int_floordiv", meaning, "floordiv", LongType, LongType, LongType),
      static("hr_int_mod", meaning, "mod", LongType, LongType, LongType),
      static("hr_int_truediv", meaning, "truediv", DoubleType, LongType, LongType),
      static("hr_float_floordiv", meaning, "floordiv", DoubleType, DoubleType, DoubleType),
      static("hr_float_mod", meaning, "mod", DoubleType, DoubleType, DoubleType),
      static("hr_float_truediv", meaning, "truediv", DoubleType, DoubleType, DoubleType),
      static("hr_float_neg", meaning, "neg", DoubleType, DoubleType),
      static("hr_float_text", meaning, "text", StringType, DoubleType),
      static("hr_float_int", meaning, "integer", LongType, DoubleType)) ++
      Seq("int" -> LongType, "int32" -> IntegerType).flatMap { case (name, type_) =>
        Seq("add", "sub", "mul").flatMap(one => Seq(
          static(s"hr_${name}_$one", exact, Exact(one), type_, type_, type_),
          static(s"hr_${name}_${one}_wraps", wraps, one, type_, type_, type_))) ++ Seq(
          static(s"hr_${name}_neg", exact, Exact("neg"), type_, type_),
          static(s"hr_${name}_neg_wraps", wraps, "neg", type_, type_))
      } ++ Seq(
        static("hr_int_int32", exact, "toIntExact", IntegerType, LongType),
        static("hr_int_int32_wraps", wraps, "int32", IntegerType, LongType))
  }

  /** Of an int with a float, a float with an int, or two floats: the arguments' types pick the method. */
  private def comparisons: Seq[(String, FunctionBuilder)] =
    Seq("lt", "le", "gt", "ge").map(name => static(s"hr_$name", Meaning.getClass, name, BooleanType))

  private def texts: Seq[(String, FunctionBuilder)] = {
    val text = Text.getClass
    Seq(
      static("hr_lower", text, "lower", StringType, StringType),
      static("hr_upper", text, "upper", StringType, StringType),
      static("hr_casefold", text, "casefold", StringType, StringType),
      static("hr_strip", text, "strip", StringType, StringType),
      static("hr_lstrip", text, "lstrip", StringType, StringType),
      static("hr_rstrip", text, "rstrip", StringType, StringType),
      static("hr_strip_of", text, "stripOf", StringType, StringType, StringType),
      static("hr_lstrip_of", text, "lstripOf", StringType, StringType, StringType),
      static("hr_rstrip_of", text, "rstripOf", StringType, StringType, StringType),
      static("hr_split", text, "split", words, StringType),
      static("hr_split_at", text, "splitAt", words, StringType, StringType),
      static("hr_replace", text, "replace", StringType, StringType, StringType, StringType),
      static("hr_text_int", text, "integer", LongType, StringType),
      static("hr_text_float", text, "floating", DoubleType, StringType))
  }

  private def windowedKeys: Seq[(String, FunctionBuilder)] = Seq(
    static("hr_windowed_key", Codecs.getClass, "windowedKey", BinaryType, BinaryType, IntegerType),
    static("hr_windowed_time", Codecs.getClass, "windowedTime", LongType, BinaryType, IntegerType))

  /** A static method as a function: generated code calls it directly, a null argument gives null without calling it.
    *
    * Called nondeterministic for the reason that `MayThrow` gives.
    */
  private[headrace] def static(
      name: String, home: Class[_], method: String, gives: DataType, takes: DataType*): (String, FunctionBuilder) =
    name -> { args: Seq[Expression] =>
      StaticInvoke(home, gives, method, args, takes, propagateNull = true, isDeterministic = false)
    }
}
