package headrace.functions

/** Arithmetic of ints whose result has the lowest bits, where there is no room for all.
  *
  * Static methods: generated code calls them by name.
  */
object Wrapping {
  def add(a: Long, b: Long): Long = a + b
  def sub(a: Long, b: Long): Long = a - b
  def mul(a: Long, b: Long): Long = a * b
  def neg(a: Long): Long = -a
  def int32(a: Long): Int = a.toInt

  def add(a: Int, b: Int): Int = a + b
  def sub(a: Int, b: Int): Int = a - b
  def mul(a: Int, b: Int): Int = a * b
  def neg(a: Int): Int = -a
}
