package org.apache.spark.sql.headrace

/** A record on its way between tasks.
  *
  * @param group   the grouping integer of the task that gets it, see [[Groups]]
  * @param tag     the edge of the plan it travels on
  * @param key     key in the bytes of its natural serde
  * @param value   value in the same form
  * @param ts      event time in milliseconds
  * @param queue   where it came from: a topic partition, or the task before
  * @param seq     its place in that queue
  * @param topic   the topic an expression chose for it, if it goes to a sink
  * @param headers packed headers, null if it has none
  */
case class Envelope(
    group: Int,
    tag: Int,
    key: Array[Byte],
    value: Array[Byte],
    ts: Long,
    queue: Long,
    seq: Long,
    topic: Array[Byte],
    headers: Array[Byte])
