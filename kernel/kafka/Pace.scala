package headrace.kafka

/** Pace of batches: so many records that one takes about three seconds, as many as the last ones managed.
  *
  * A batch has a cost of its own beside that of its records, which shows when sizes differ. Where that cost is high, as on
  * a busy machine, batches are longer, so that half of their time is for records. The first batch of a query, in which
  * Spark compiles, only tells how long a batch takes at most.
  *
  * @param first  how many the first may have
  * @param growth how many times as many as the one before another one may have
  */
final class Pace(first: Long, growth: Long) {
  import Pace._

  private var most = first
  private var cost = 0.0
  private var last = Option.empty[Done]
  private var batches, size, began = 0L

  /** It is `now`, and the batch before is over: how many the next one may have. */
  def limit(now: Long): Long = {
    if (size > 0) {
      val done = Done(size, math.max(1, now - began))
      if (batches > 1) learn(done) else if (done.size * 2 >= most) most = math.max(most, grown((done.size * Longest / done.millis).toLong))
    }
    size = 0
    most
  }

  /** A batch of so many records begins. */
  def begin(records: Long, now: Long): Unit = {
    batches += 1
    size = records
    began = now
  }

  private def learn(done: Done): Unit = {
    last.filter(_.differs(done)).foreach { before =>
      val each = (done.millis - before.millis).toDouble / (done.size - before.size)
      cost = math.max(0, math.min(math.min(done.millis, before.millis) * Share, done.millis - each * done.size))
    }
    last = Some(done)
    if (done.size * 2 >= most || done.millis > Target) {
      val aim = math.max(Target, math.min(Longest, cost * 2))
      val managed = done.size * math.max(0, aim - cost) / math.max(1, done.millis - cost)
      most = math.max(Least, math.max(most / Shrinking, grown(managed.toLong)))
    }
  }

  private def grown(wanted: Long): Long = math.min(Most, math.min(most * growth, wanted))
}

object Pace {
  /** @param python whether functions in Python take the records: one may need a second for each, and a transaction is not
    *               open for long enough to wait for many of those. Most are quick, which shows soon.
    */
  def of(python: Boolean): Pace = if (python) new Pace(Careful, 16) else new Pace(First, 4)

  private val Target = 3000.0
  private val Longest = 10000.0
  private val Share = 0.8
  private val Shrinking = 4L
  private val First = 100000L
  private val Careful = 1000L
  private val Most = 5000000L
  private val Least = 100L

  private case class Done(size: Long, millis: Long) {
    def differs(other: Done): Boolean = math.max(size, other.size) > 1.5 * math.min(size, other.size)
  }
}
