package headrace.model

/** A record on its way through the operators of a task; of a table, a change.
  *
  * @param key     key in the bytes it travels in
  * @param value   value in the same form; of a change the new one
  * @param old     of a change the old value, if somebody needs it
  * @param latest  of a change of a versioned table, whether no later one came before it
  * @param ts      event time in milliseconds
  * @param headers packed headers, null if it has none
  * @param source  the topic and partition it comes from, as the planner numbers them
  * @param offset  its place there
  */
final class Record(
    val key: Array[Byte],
    val value: Array[Byte],
    val ts: Long,
    val headers: Array[Byte],
    val source: Long,
    val offset: Long,
    val old: Array[Byte] = null,
    val latest: Boolean = true) {

  def withKey(key: Array[Byte]): Record = new Record(key, value, ts, headers, source, offset, old, latest)

  def withValue(value: Array[Byte]): Record = new Record(key, value, ts, headers, source, offset, old, latest)

  def withPair(key: Array[Byte], value: Array[Byte]): Record =
    new Record(key, value, ts, headers, source, offset, old, latest)

  def withOld(old: Array[Byte]): Record = new Record(key, value, ts, headers, source, offset, old, latest)

  def withHeaders(headers: Array[Byte]): Record = new Record(key, value, ts, headers, source, offset, old, latest)

  def withTime(ts: Long): Record = new Record(key, value, ts, headers, source, offset, old, latest)

  /** A change of this record's key. */
  def change(value: Array[Byte], old: Array[Byte], ts: Long, latest: Boolean = true): Record =
    new Record(key, value, ts, headers, source, offset, old, latest)

  /** A change of another key that this record caused. */
  def changeOf(key: Array[Byte], value: Array[Byte], old: Array[Byte], ts: Long): Record =
    new Record(key, value, ts, headers, source, offset, old)

  /** This record without its headers; of a change, with the new value alone. */
  def bare: Record = new Record(key, value, ts, null, source, offset)

  /** This record as users see it: of the change of a table, the new value, or the old one of a deletion. */
  def plain: Record =
    if (old == null && latest) this
    else new Record(key, if (value == null) old else value, ts, headers, source, offset)
}
