package headrace.model

/** A record on its way between tasks.
  *
  * @param group   the grouping integer of the task that gets it, see [[Groups]]
  * @param tag     the edge of the plan it travels on
  * @param key     key in the bytes of its natural serde
  * @param value   value in the same form; of a change of a table the new one
  * @param old     of a change the old value
  * @param latest  of a change of a versioned table, whether no later one came before it
  * @param ts      event time in milliseconds
  * @param turn    when it is taken, see [[Turn]]
  * @param queue   where it waits; at equal turns the smaller one goes first
  * @param seq     its place in that queue
  * @param topic   the topic an expression chose for it, if it goes to a sink
  * @param headers packed headers, null if it has none
  * @param source  the topic and partition it comes from, as the planner numbers them
  * @param offset  its place there
  */
case class Envelope(
    group: Int,
    tag: Int,
    key: Array[Byte],
    value: Array[Byte],
    old: Array[Byte],
    latest: Boolean,
    ts: Long,
    turn: Long,
    queue: Long,
    seq: Long,
    topic: Array[Byte],
    headers: Array[Byte],
    source: Long,
    offset: Long) {

  def record: Record = new Record(key, value, ts, headers, source, offset, old, latest)
}
