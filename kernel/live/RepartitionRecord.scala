package headrace.live

import headrace.model.Envelope
import java.nio.ByteBuffer

/** Envelopes as records of a repartition topic: a form of our own, which does not change with the plan.
  *
  * A byte with the version of the form, one with what is there, the tag, the time, the queue, the source and the offset,
  * then key, value, old value, topic and headers, each with its size in front. Task, turn and place are for the reader to
  * say, by where and when it reads it.
  */
object RepartitionRecord {
  private val Version: Byte = 1
  private val Latest = 1 << 5
  private val Fixed = 2 + Integer.BYTES + 4 * java.lang.Long.BYTES

  def write(envelope: Envelope): Array[Byte] = {
    val parts = Array(envelope.key, envelope.value, envelope.old, envelope.topic, envelope.headers)
    var there = if (envelope.latest) Latest else 0
    var size = Fixed
    var i = 0
    while (i < parts.length) {
      if (parts(i) != null) {
        there |= 1 << i
        size += Integer.BYTES + parts(i).length
      }
      i += 1
    }
    val whole = ByteBuffer.allocate(size).put(Version).put(there.toByte).putInt(envelope.tag)
    whole.putLong(envelope.ts).putLong(envelope.queue).putLong(envelope.source).putLong(envelope.offset)
    parts.foreach(part => if (part != null) whole.putInt(part.length).put(part))
    whole.array
  }

  /** The envelope for the task of this group. */
  def read(bytes: Array[Byte], group: Int): Envelope = {
    val whole = ByteBuffer.wrap(bytes)
    val version = whole.get()
    if (version != Version)
      throw new IllegalStateException(s"a repartition topic has records of form $version, and this headrace reads $Version: update it")
    val there = whole.get()
    val tag = whole.getInt
    val (ts, queue, source, offset) = (whole.getLong, whole.getLong, whole.getLong, whole.getLong)
    def part(number: Int): Array[Byte] = if ((there & (1 << number)) == 0) null else {
      val bytes = new Array[Byte](whole.getInt)
      whole.get(bytes)
      bytes
    }
    val (key, value, old, topic, headers) = (part(0), part(1), part(2), part(3), part(4))
    Envelope(group, tag, key, value, old, (there & Latest) != 0, ts, ts, queue, 0, topic, headers, source, offset)
  }
}
