package headrace.python

import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.mutable

import com.fasterxml.jackson.databind.ObjectMapper
import headrace.kafka.{Position, Producers, SinkOptions}
import headrace.model.{Bytes, BytesMap, Clock, Envelope, Fault, Leaving, Record, Tally}
import headrace.spec.StageSpec
import headrace.stores.Cells

/** One task for the length of a batch whose operators run in a Python process.
  *
  * Records go there in chunks, with the state that their keys have; the process asks for other state as it needs it, and
  * what it changed comes back when the batch is over.
  */
final class PythonTask(
    group: Int, stage: StageSpec, state: String => Cells, sink: SinkOptions, tally: Tally, clock: Clock, batch: Long, partition: Int) {
  import PythonTask._

  private val program = stage.python
  private val code = program.code
  private val name = s"${stage.id}/$group"
  private val cells = mutable.Map.empty[String, Cells]
  /** By tag: the stores that the keys of records are looked up in; null for records that pass by. */
  private val stores: Array[Array[Along]] = {
    val found = mutable.Map.empty[String, Along]
    val byTag = new Array[Array[Along]](program.entries.keys.maxOption.fold(0)(_ + 1))
    program.entries.foreach { case (tag, names) => byTag(tag) = names.map(name => found.getOrElseUpdate(name, new Along(name))).toArray }
    byTag
  }
  private val out = new mutable.ArrayDeque[Envelope]
  private val leaving = new Leaving(group)
  private val frame = new FrameWriter
  private val worker = PythonWorker.borrow(code.worker, code.id, name)
  private val place = Losses.Place(tally.id, stage.number, group, batch)
  private val careful = Losses.of(place)
  private val chunk = new Array[Envelope](Largest)
  private val tags = new Array[Int](Largest)
  private val times, sources, offsets = new Array[Long](Largest)
  private val keys, values, olds, headers, outdated = new Array[Array[Byte]](Largest)
  private var filled, size = 0
  private var taken = 0L
  private var limit = Smallest
  private var done = false

  /** Called when the task is over: a worker that has not done all of it is of no use any more. */
  def close(): Unit = if (!done) worker.forget()

  /** Everything the batch gives, made as it is taken. A record on an edge that ends elsewhere passes by. */
  def run(records: Iterator[Envelope]): Iterator[Envelope] = new Iterator[Envelope] {
    private var begun, finished = false

    override def hasNext: Boolean = {
      while (out.isEmpty && !finished) {
        if (!begun) { begin(); begun = true }
        else if (records.hasNext) put(records.next())
        else { if (filled > 0) exchange(); end(); finished = true }
      }
      out.nonEmpty
    }

    override def next(): Envelope = {
      if (!hasNext) throw new NoSuchElementException
      out.removeHead()
    }
  }

  private def begin(): Unit = watched(taken, taken) {
    if (worker.programs.add(code.id)) worker.send('P', frame.text(code.id).bytes(code.code).take())
    val remembered = cellsOf(Memory).scan(Array.emptyByteArray, Bytes.End).toArray
    frame.text(code.id).text(name).int(partition).long(batch).long(clock.now).long(clock.steady)
    frame.byte(if (worker.tasks.get(name).contains(batch - 1)) 1 else 0).int(remembered.length)
    remembered.foreach(cell => frame.bytes(cell.key).bytes(cell.value))
    worker.send('B', frame.take())
    leaving.beforeAll()
    receive(answered)
  }

  private def put(envelope: Envelope): Unit =
    if (envelope.tag >= stores.length || stores(envelope.tag) == null) out += envelope
    else {
      val suspect = if (careful.isEmpty) None else careful.find(one => one.from <= taken + filled && taken + filled < one.until)
      if (filled > 0 && (suspect.isDefined || size > MostBytes)) exchange()
      add(envelope)
      if (suspect.isDefined || filled == limit) exchange(suspect.filter(_.known))
    }

  private def add(envelope: Envelope): Unit = {
    chunk(filled) = envelope
    tags(filled) = envelope.tag
    times(filled) = envelope.ts
    sources(filled) = envelope.source
    offsets(filled) = envelope.offset
    keys(filled) = envelope.key
    values(filled) = envelope.value
    olds(filled) = envelope.old
    headers(filled) = Headers.plain(envelope.headers)
    outdated(filled) = if (envelope.latest) null else Array.emptyByteArray
    filled += 1
    size += length(envelope.key) + length(envelope.value) + length(envelope.old)
  }

  /** Send what was gathered, with the state of its keys, and take what comes of it. */
  private def exchange(refused: Option[Losses.Suspects] = None): Unit = watched(taken, taken + filled) {
    val began = System.nanoTime
    frame.text(refused.fold("")(_.why)).int(filled)
    frame.ints(tags, filled).longs(times, filled).longs(sources, filled).longs(offsets, filled)
    frame.column(keys, filled).column(values, filled).column(olds, filled)
    frame.column(headers, filled).column(outdated, filled)
    along()
    worker.send('C', frame.take())
    receive(answered)
    taken += filled
    filled = 0
    size = 0
    val ms = (System.nanoTime - began) / 1000000
    if (ms < Quick) limit = math.min(limit * 4, Largest) else if (ms > Slow) limit = math.max(limit / 4, 1)
  }

  /** The state of keys that have not been there in this batch. */
  private def along(): Unit = {
    val found = new mutable.ArrayBuffer[(Along, Array[Byte])]
    var i = 0
    while (i < filled) {
      val key = keys(i)
      if (key != null) {
        val looked = stores(tags(i))
        var j = 0
        while (j < looked.length) {
          if (looked(j).isNew(key)) found += ((looked(j), key))
          j += 1
        }
      }
      i += 1
    }
    frame.int(found.length)
    found.foreach { case (store, key) => frame.text(store.name).bytes(key).bytes(cellsOf(store.name).get(key)) }
  }

  private def end(): Unit = watched(taken, taken) {
    worker.send('E', frame.take())
    leaving.atTheEnd()
    receive { answer =>
      answered(answer)
      written(answer)
      (0 until answer.int()).foreach { _ =>
        val (node, reason) = (answer.text(), answer.text())
        tally.count(Tally.Drop, node, reason, answer.long())
      }
      tally.due(s"${stage.number} in Python", answer.long())
    }
    tally.count(Tally.In, stage.number.toString, "", taken)
    tally.count(Tally.Out, stage.number.toString, "", leaving.sent)
    done = true
    worker.tasks(name) = batch
    PythonWorker.giveBack(worker)
  }

  /** The answer to what was asked; until it comes, questions are answered. */
  private def receive(answer: FrameReader => Unit): Unit = {
    var waiting = true
    while (waiting) worker.receive() match {
      case ('A', message) => waiting = false; answer(message)
      case ('G', asked) => worker.send('V', frame.bytes(cellsOf(asked.text()).get(asked.bytes())).take())
      case ('M', asked) => many(asked)
      case ('S', asked) => found(asked)
      case ('N', asked) => worker.send('V', frame.int(partitions(asked.text())).take())
      case ('T', asked) => worker.send('V', frame.text(Position.topic(sink, asked.text(), asked.long())).take())
      case ('W', changes) => written(changes)
      case ('F', failed) => PythonTask.fail(failed)
      case (other, _) => throw new IllegalStateException(s"a Python worker said '$other'")
    }
  }

  /** How many partitions a topic has; 0 if there is none, which is told when it is written to. */
  private def partitions(topic: String): Int =
    try Producers.partitions(sink, topic)
    catch { case fault: Fault if fault.isOfTopic => 0 }

  private def many(asked: FrameReader): Unit = {
    val (cells, count) = (cellsOf(asked.text()), asked.int())
    val there = asked.column(count).map(cells.get)
    worker.send('V', frame.column(there, count).take())
  }

  private def found(asked: FrameReader): Unit = {
    val (cells, first, behind, most) = (cellsOf(asked.text()), asked.bytes(), asked.bytes(), asked.int())
    val there = cells.scan(first, if (behind == null) Last else behind, most).toArray
    frame.int(there.length)
    there.foreach(cell => frame.bytes(cell.key).bytes(cell.value))
    worker.send('V', frame.take())
  }

  private def written(changes: FrameReader): Unit = (0 until changes.int()).foreach { _ =>
    val cells = cellsOf(changes.text())
    (0 until changes.int()).foreach { _ =>
      val (place, thing) = (changes.bytes(), changes.bytes())
      if (thing == null) cells.remove(place) else cells.put(place, thing)
    }
  }

  /** Takes results and console output out of a message. */
  private def answered(message: FrameReader): Unit = {
    val shown = message.bytes()
    if (shown != null) System.out.print(new String(shown, UTF_8))
    val count = message.int()
    if (count > 0) {
      val (causes, tags, times) = (message.ints(count), message.ints(count), message.longs(count))
      val (keys, values, olds) = (message.column(count), message.column(count), message.column(count))
      val (headers, topics, outdated) = (message.column(count), message.column(count), message.column(count))
      var i = 0
      while (i < count) {
        val cause = if (causes(i) < 0) null else chunk(causes(i))
        if (cause != null) leaving.behind(cause.turn, cause.queue)
        val record = new Record(
          at(keys, i), at(values, i), times(i), Headers.packed(at(headers, i)), if (cause == null) 0 else cause.source,
          if (cause == null) Position.Nowhere else cause.offset, at(olds, i), at(outdated, i) == null)
        out += leaving.envelope(tags(i), program.exits(tags(i)), record, at(topics, i))
        i += 1
      }
    }
  }

  private def watched[T](from: Long, until: Long)(talk: => T): T =
    try talk
    catch {
      case lost: WorkerLost if until > from =>
        Losses.note(place, Losses.Suspects(from, until, lost.reason, lost.trace))
        val had = Seq(chunk.head, chunk((until - from - 1).toInt)).map(one => Position.text(sink, program.topics, one.source, one.offset))
        throw lost.at(had.distinct.mkString(" to "))
    }

  private def cellsOf(name: String): Cells = cells.getOrElseUpdate(name, state(Family + name))
}

/** A store whose state goes along with records, and the keys that it went along with in this batch. */
private final class Along(val name: String) {
  private val known = new BytesMap[AnyRef]

  def isNew(key: Array[Byte]): Boolean = {
    val unknown = known.get(key) == null
    if (unknown) known.put(key, this)
    unknown
  }
}

object PythonTask {
  private val Family = "python."
  private val Memory = "memory"
  private val Last = Array.fill[Byte](1 << 10)(-1)

  /** Chunks are small at first, for nobody knows how long a record takes; these are milliseconds of a chunk. */
  private val Smallest = 16
  private val Largest = 8192
  private val MostBytes = 1 << 20
  private val Quick = 200
  private val Slow = 2000

  /** Throws what failed in Python: not to be tried again. */
  def fail(failed: FrameReader): Nothing = {
    val told = new ObjectMapper().readTree(failed.text())
    val Seq(kind, subject, reason, where, trace) = Seq("kind", "subject", "reason", "where", "trace").map(told.get(_).asText)
    val fault = new Fault(kind, subject, reason, where, null, trace)
    throw fault.untried
  }

  private def length(bytes: Array[Byte]): Int = if (bytes == null) 0 else bytes.length

  private def at(column: Array[Array[Byte]], place: Int): Array[Byte] = if (column == null) null else column(place)
}
