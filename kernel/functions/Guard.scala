package headrace.functions

import headrace.model.{Fault, Refusal}
import headrace.shapes.Shape
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BooleanType, DataType}

/** An expression that may throw, so that whether and where it runs is part of its meaning.
  *
  * Called nondeterministic and nullable although it is neither: the optimizer then does not drop it, move it, evaluate it
  * while planning, or take `IS NULL` of it for false.
  */
trait MayThrow extends Expression {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = true
}

/** `body`; an exception inside becomes a `Fault` with the other three, which are evaluated only then.
  *
  * No input counts as always evaluated, or common subexpression elimination would take parts of the body out of the try.
  */
case class Guard(body: Expression, kind: Expression, subject: Expression, where: Expression)
    extends ConditionalExpression with MayThrow {
  override def children: Seq[Expression] = Seq(body, kind, subject, where)
  override def dataType: DataType = body.dataType
  override def nullable: Boolean = body.nullable
  override def prettyName: String = "hr_guard"

  override def alwaysEvaluatedInputs: Seq[Expression] = Nil
  override def withNewAlwaysEvaluatedInputs(inputs: Seq[Expression]): Guard = this
  override def branchGroups: Seq[Seq[Expression]] = Nil

  override def eval(input: InternalRow): Any =
    try body.eval(input)
    catch {
      case caught: RuntimeException =>
        val Seq(k, s, w) = Seq(kind, subject, where).map(_.eval(input).asInstanceOf[AnyRef])
        throw Fault.of(caught, k, s, w)
    }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val guarded = body.genCode(ctx)
    val caught = ctx.freshName("caught")
    val told = Seq(kind, subject, where).map(_.genCode(ctx))
    val Seq(k, s, w) = told.map(one => s"${one.isNull} ? null : ${one.value}")
    ev.copy(code = code"""
      boolean ${ev.isNull} = true;
      ${CodeGenerator.javaType(dataType)} ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
      try {
        ${guarded.code}
        ${ev.isNull} = ${guarded.isNull};
        ${ev.value} = ${guarded.value};
      } catch (RuntimeException $caught) {
        ${told(0).code}
        ${told(1).code}
        ${told(2).code}
        throw headrace.model.Fault.of($caught, $k, $s, $w);
      }""")
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Guard =
    Guard(newChildren(0), newChildren(1), newChildren(2), newChildren(3))
}

/** `child`, which must not be null; else a refusal with the reason, and the class that Python has for it. */
case class Present(child: Expression, reason: Expression, error: String) extends BinaryExpression with MayThrow {
  override def left: Expression = child
  override def right: Expression = reason
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def prettyName: String = "hr_some"

  override def eval(input: InternalRow): Any = {
    val value = child.eval(input)
    if (value == null) throw new Refusal(reason.eval(input).toString, error)
    value
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val value = child.genCode(ctx)
    val why = reason.genCode(ctx)
    ev.copy(
      code = code"""
      ${value.code}
      if (${value.isNull}) {
        ${why.code}
        throw new headrace.model.Refusal(${why.value}.toString(), "$error");
      }""",
      isNull = FalseLiteral,
      value = value.value)
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Present =
    copy(newLeft, newRight)
}

/** True, after evaluating `child`: a function may fail, and must then do so even if nobody reads its result. */
case class Ran(child: Expression) extends UnaryExpression with MayThrow {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def prettyName: String = "hr_ran"

  override def eval(input: InternalRow): Any = {
    child.eval(input)
    true
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val value = child.genCode(ctx)
    ev.copy(code = code"${value.code} boolean ${ev.value} = true;", isNull = FalseLiteral)
  }

  override protected def withNewChildInternal(newChild: Expression): Ran = copy(newChild)
}

/** `and` and `or`: the right side runs only if the left one does not decide. Spark's own may swap what they join. */
case class Shortcut(left: Expression, right: Expression, decides: Boolean)
    extends BinaryExpression with ConditionalExpression with MayThrow {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = true
  override def prettyName: String = if (decides) "hr_or" else "hr_and"

  override def alwaysEvaluatedInputs: Seq[Expression] = Seq(left)
  override def withNewAlwaysEvaluatedInputs(inputs: Seq[Expression]): Shortcut = copy(left = inputs.head)
  override def branchGroups: Seq[Seq[Expression]] = Nil

  override def eval(input: InternalRow): Any =
    if (left.eval(input) == decides) decides else right.eval(input)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val first = left.genCode(ctx)
    val second = right.genCode(ctx)
    ev.copy(
      code = code"""
      ${first.code}
      boolean ${ev.value} = $decides;
      if (${first.value} != $decides) {
        ${second.code}
        ${ev.value} = ${second.value};
      }""",
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Shortcut =
    copy(left = newLeft, right = newRight)
}

/** `==` of numbers where one is a float, None included: Spark's takes NaN for equal to itself, and rounds the int. */
case class Same(left: Expression, right: Expression) extends BinaryExpression {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def prettyName: String = "hr_same"

  override def eval(input: InternalRow): Any = (left.eval(input), right.eval(input)) match {
    case (null, other) => other == null
    case (_, null) => false
    case (a: Double, b: Double) => Meaning.same(a, b)
    case (a: Long, b: Double) => Meaning.same(a, b)
    case (a: Double, b: Long) => Meaning.same(a, b)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val first = left.genCode(ctx)
    val second = right.genCode(ctx)
    ev.copy(
      code = code"""
      ${first.code}
      ${second.code}
      boolean ${ev.value} = (${first.isNull} || ${second.isNull}) ? (${first.isNull} == ${second.isNull})
        : headrace.functions.Meaning.same(${first.value}, ${second.value});""",
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Same =
    Same(newLeft, newRight)
}

/** `==` of values of one shape, None included. */
case class Equal(left: Expression, right: Expression, shape: Shape) extends BinaryExpression {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def prettyName: String = "hr_equal"

  override def eval(input: InternalRow): Any = shape.sameOrNull(left.eval(input), right.eval(input))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val first = left.genCode(ctx)
    val second = right.genCode(ctx)
    val same = ctx.addReferenceObj("shape", shape, classOf[Shape].getName)
    ev.copy(
      code = code"""
      ${first.code}
      ${second.code}
      boolean ${ev.value} = (${first.isNull} || ${second.isNull}) ? (${first.isNull} == ${second.isNull})
        : $same.same(${first.value}, ${second.value});""",
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Equal =
    copy(left = newLeft, right = newRight)
}
