package headrace.model

import java.io.NotSerializableException

import org.apache.kafka.common.errors.{GroupAuthorizationException, TopicAuthorizationException, TransactionalIdAuthorizationException}
import org.apache.spark.SparkThrowable
import org.apache.spark.unsafe.types.UTF8String

/** A reason in words why a value is refused; thrown inside `hr_guard`, which knows the rest.
  *
  * @param error the class that Python has for it
  */
class Refusal(reason: String, val error: String) extends RuntimeException(reason) {
  def this(reason: String) = this(reason, Refusal.errorOf(reason))
}

object Refusal {
  val TooBig = "the result does not fit 64 bits"
  val TooBigFor32 = "the result does not fit 32 bits"
  val ByZero = "division by zero"

  private def errorOf(reason: String): String = reason match {
    case ByZero => "ZeroDivisionError"
    case TooBig | TooBigFor32 => "OverflowError"
    case _ => "ValueError"
  }
}

/** A record that could not be handled: what, why and where, on one line that Python finds in any nesting of causes.
  *
  * @param trace where in the user's code it happened, if that is known
  */
class Fault(
    val kind: String, val subject: String, val reason: String, val where: String, cause: Throwable, val trace: String = "")
    extends RuntimeException(Fault.line(kind, subject, reason, where, trace), cause) {

  /** Whether a function of this node failed. */
  def isOf(node: String): Boolean = kind == FaultKind.Failed && subject == node

  /** Whether there is no topic of a name, or cannot be one. */
  def isOfTopic: Boolean = kind == FaultKind.TopicMissing || kind == FaultKind.Unwritable

  /** As what Spark does not try a task again for, which is only a result that it cannot send. */
  def untried: Throwable = new NotSerializableException(getMessage).initCause(this)

  /** The class that Python has for what happened. */
  def error: String = (kind, cause) match {
    case (FaultKind.TimestampInvalid, _) => "TimestampInvalid"
    case (_, refusal: Refusal) => refusal.error
    case _ => new Refusal(reason).error
  }

  /** Message about the record, in the words of Python's errors. */
  def told: String = kind match {
    case FaultKind.Undecodable =>
      val Array(part, serde) = subject.split(" ", 2)
      s"the $part of a record is not $serde: $reason"
    case FaultKind.TimestampInvalid => s"a record has the time $subject, $reason"
    case _ => reason
  }
}

object Fault {
  private val Marker = "headrace-fault:"
  private val LongestReason = 500
  private val DeepestCause = 20

  /** The fault that an exception means; a fault from further inside stays the one it is. */
  def of(caught: Throwable, kind: AnyRef, subject: AnyRef, where: AnyRef): RuntimeException = caught match {
    case fault: Fault => fault
    case other => new Fault(text(kind), text(subject), reasonOf(other).take(LongestReason), text(where), other)
  }

  /** A partition that the state knows nothing of; not Spark's `raise_error`, whose text stands in each of its plans. */
  def newPartition(topic: UTF8String, known: Int): Int =
    throw new Fault(FaultKind.PartitionsChanged, topic.toString, known.toString, s"more than $known", null)

  /** Fault of a denied right, with the name that it is of: Kafka's exceptions often leave that out.
    *
    * @param topic    the operation on it, and its name
    * @param producer the name of the producer, and of its group
    */
  def ofDenial(caught: Throwable, topic: (String, String), producer: String): Throwable = {
    causes(caught).collectFirst {
      case denied: TopicAuthorizationException => new Fault(FaultKind.NotAllowed, s"topic '${topic._2}'", topic._1, "", denied)
      case denied: GroupAuthorizationException => new Fault(FaultKind.NotAllowed, s"group '$producer'", "Read", "", denied)
      case denied: TransactionalIdAuthorizationException =>
        new Fault(FaultKind.NotAllowed, s"transactional id '$producer'", "Write", "", denied)
    }.getOrElse(caught)
  }

  /** An exception, and what it came of. */
  def causes(caught: Throwable): Iterator[Throwable] =
    Iterator.iterate(caught)(_.getCause).takeWhile(_ != null).take(DeepestCause)

  private def text(value: AnyRef): String = if (value == null) "" else value.toString

  private def reasonOf(caught: Throwable): String = caught match {
    case refusal: Refusal => refusal.getMessage
    case overflow: ArithmeticException if overflow.getMessage == "long overflow" => Refusal.TooBig
    case overflow: ArithmeticException if overflow.getMessage == "integer overflow" => Refusal.TooBigFor32
    case spark: SparkThrowable => inWords(spark.getCondition, caught)
    case other => described(other)
  }

  private def inWords(condition: String, caught: Throwable): String = condition match {
    case null => described(caught)
    case c if c.startsWith("ARITHMETIC_OVERFLOW") || c.startsWith("CAST_OVERFLOW") => Refusal.TooBig
    case c if c.startsWith("DIVIDE_BY_ZERO") || c.startsWith("REMAINDER_BY_ZERO") => Refusal.ByZero
    case c if c.startsWith("CAST_INVALID_INPUT") => s"${quotedIn(caught)} is not a ${typeIn(caught)}"
    case _ => described(caught)
  }

  private def quotedIn(caught: Throwable): String =
    caught.asInstanceOf[SparkThrowable].getMessageParameters.getOrDefault("expression", "the text")

  private def typeIn(caught: Throwable): String =
    caught.asInstanceOf[SparkThrowable].getMessageParameters.getOrDefault("targetType", "value of that type")
      .replace("\"", "").toLowerCase(java.util.Locale.ROOT)

  private def described(caught: Throwable): String = {
    val message = Option(caught.getMessage).getOrElse("").linesIterator.nextOption().getOrElse("")
    if (message.isEmpty) caught.getClass.getSimpleName else s"${caught.getClass.getSimpleName}: $message"
  }

  private def line(kind: String, subject: String, reason: String, where: String, trace: String): String = {
    val fields = Seq("kind" -> kind, "subject" -> subject, "reason" -> reason, "where" -> where, "trace" -> trace)
    fields.map { case (name, value) => s"${json(name)}:${json(value)}" }.mkString(Marker + "{", ",", "}")
  }

  /** ASCII only and without line breaks, so that no log or transport changes it. */
  private def json(text: String): String = text.map {
    case c @ ('"' | '\\') => s"\\$c"
    case c if c >= ' ' && c <= '~' => c.toString
    case c => f"\\u${c.toInt}%04x"
  }.mkString("\"", "", "\"")
}
