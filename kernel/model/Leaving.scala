package headrace.model

/** Envelopes that leave a task, each with its turn in the next: no sooner than that of the record it is derived from.
  *
  * What goes out passes by the tasks of later stages, and has to stay in its order: its turn is that of the record.
  */
final class Leaving(group: Int) {
  import Leaving._

  private val turns = new Turns
  /** The turn of the record at hand, and where it waited. */
  private var turn, queue = BeforeAll
  private var number = 0L

  /** Number of envelopes that have left. */
  def sent: Long = number

  /** Following envelopes are derived from a record with this turn, which waited in this queue. */
  def behind(turn: Long, queue: Long): Unit = {
    this.turn = turn
    this.queue = queue
  }

  /** Following envelopes are derived from no input: order them before the batch. */
  def beforeAll(): Unit = turn = BeforeAll

  /** Following envelopes are derived from no input: order them behind the batch. */
  def atTheEnd(): Unit = turn = AtTheEnd

  /** A record on its way. */
  def envelope(tag: Int, going: Going.Value, record: Record, topic: Array[Byte]): Envelope = {
    val own = if (going == Going.Out) turn else turns.next(tag, record.ts)
    val waits = if (turn == AtTheEnd || turn == BeforeAll) group else waiting(going == Going.On && own >= turn)
    number += 1
    Envelope(group, tag, record.key, record.value, record.old, record.latest, record.ts, math.max(turn, own),
      waits, number - 1, topic, record.headers, record.source, record.offset)
  }

  /** Right behind the record it comes of, first what was held back and is late already.
    *
    * By the bits that the number of a queue has for that.
    */
  private def waiting(onTime: Boolean): Long = (queue & ~QueueBits.OnTime) | QueueBits.Behind | (if (onTime) QueueBits.OnTime else 0)
}

object Leaving {
  private val AtTheEnd = Long.MaxValue
  private val BeforeAll = Long.MinValue
}
