package headrace.model

import java.nio.ByteBuffer

/** Record bytes: whole records, for those that wait in the state; of a change with its old value and whether it is the latest. */
object RecordBytes {
  private val Numbers = 1 + 3 * java.lang.Long.BYTES
  private val Latest = 1
  private val FirstPart = 2

  def write(record: Record): Array[Byte] = {
    val parts = Array(record.key, record.value, record.old, record.headers)
    val sizes = parts.map(part => if (part == null) 0 else Integer.BYTES + part.length)
    val bytes = ByteBuffer.allocate(Numbers + sizes.sum)
    val there = parts.indices.filter(parts(_) != null)
    bytes.put(there.foldLeft(if (record.latest) Latest else 0)((flags, part) => flags | FirstPart << part).toByte)
    bytes.putLong(record.ts).putLong(record.source).putLong(record.offset)
    there.foreach(part => bytes.putInt(parts(part).length).put(parts(part)))
    bytes.array
  }

  def read(written: Array[Byte]): Record = {
    val bytes = ByteBuffer.wrap(written)
    val flags = bytes.get
    val (ts, source, offset) = (bytes.getLong, bytes.getLong, bytes.getLong)
    def part(place: Int): Array[Byte] =
      if ((flags & FirstPart << place) == 0) null
      else {
        val found = new Array[Byte](bytes.getInt)
        bytes.get(found)
        found
      }
    val (key, value, old, headers) = (part(0), part(1), part(2), part(3))
    new Record(key, value, ts, headers, source, offset, old, (flags & Latest) != 0)
  }
}
