package headrace.python

import java.io.{BufferedInputStream, DataInputStream, File, IOException, OutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.concurrent.{ScheduledFuture, ScheduledThreadPoolExecutor, TimeUnit}
import scala.collection.mutable

import headrace.model.{Fault, FaultKind}
import org.apache.spark.SparkFiles

/** Spec of the Python workers of an application: how they are started.
  *
  * @param python   the interpreter
  * @param path     where it finds headrace; `{files}` stands for where Spark has put what it ships
  * @param timeoutMs how long one may be silent
  * @param memoryMb  how much memory one may take
  * @param programs  the digest of the files of the user that it may have imported
  */
case class PythonWorkerSpec(python: String, path: Seq[String], timeoutMs: Long, memoryMb: Int, programs: String)

/** A Python process beside the tasks: takes messages on its standard input and answers on what was its standard output. */
final class PythonWorker(val spec: PythonWorkerSpec) {
  private val errors = File.createTempFile("headrace-worker-", ".log")
  private val process = {
    val builder = new ProcessBuilder(spec.python, "-m", "headrace.lane.worker", spec.memoryMb.toString)
    val path = spec.path.map(_.replace("{files}", SparkFiles.getRootDirectory()))
    builder.environment().put("PYTHONPATH", path.mkString(File.pathSeparator))
    builder.environment().put("PYTHONUNBUFFERED", "1")
    builder.redirectError(errors).start()
  }
  private val input = new DataInputStream(new BufferedInputStream(process.getInputStream, 1 << 16))
  private val output: OutputStream = process.getOutputStream
  private var payload = new Array[Byte](1 << 16)
  @volatile private var silent = false

  /** The programs that it knows. */
  val programs: mutable.Set[String] = mutable.Set.empty
  /** The tasks that it ran, each with the last batch: it may go on with the next. */
  val tasks: mutable.Map[String, Long] = mutable.Map.empty

  def alive: Boolean = process.isAlive

  def send(kind: Char, payload: ByteBuffer): Unit = lost {
    val head = ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN).putInt(payload.remaining).put(kind.toByte)
    output.write(head.array)
    output.write(payload.array, payload.position(), payload.remaining)
    output.flush()
  }

  /** The next message, good until the one after it, and its kind. */
  def receive(): (Char, FrameReader) = lost {
    val alarm = Watchdog.after(spec.timeoutMs) { silent = true; complain(); kill() }
    try {
      val size = Integer.reverseBytes(input.readInt())
      val kind = input.readByte().toChar
      if (payload.length < size) payload = new Array[Byte](math.max(size, 2 * payload.length))
      input.readFully(payload, 0, size)
      (kind, new FrameReader(payload, size))
    } finally alarm.cancel(false)
  }

  def kill(): Unit = process.destroyForcibly()

  /** Kill it, and leave nothing of it. */
  def forget(): Unit = {
    kill()
    process.waitFor(5, TimeUnit.SECONDS)
    errors.delete()
  }

  /** Let it end by itself, so that its processors are closed. */
  def end(): Unit = {
    try output.close() catch { case _: IOException => () }
    process.waitFor(5, TimeUnit.SECONDS)
    forget()
  }

  /** Ask it where it is, which it writes to its log. */
  private def complain(): Unit = {
    new ProcessBuilder("kill", "-USR1", process.pid.toString).start().waitFor()
    Thread.sleep(300)
  }

  private def lost[T](talk: => T): T =
    try talk
    catch {
      case gone: IOException =>
        process.waitFor(2, TimeUnit.SECONDS)
        val why =
          if (silent) s"it took longer than ${PythonWorker.seconds(spec.timeoutMs)}"
          else if (process.isAlive) gone.toString
          else PythonWorker.ended(process.exitValue)
        val said = PythonWorker.tail(errors)
        forget()
        throw new WorkerLost(why, said, gone)
    }
}

/** A worker that is gone, with what it said last. */
final class WorkerLost(why: String, said: String, cause: Throwable, where: String = "")
    extends Fault(FaultKind.WorkerLost, "", why, where, cause, said) {
  /** This worker's end, with the records that it had. */
  def at(records: String): WorkerLost = new WorkerLost(reason, trace, getCause, records)
}

/** The workers of this process that have nothing to do, by how they were started. */
object PythonWorker {
  private val Said = 4000
  private val MostPrograms = 16
  private val idle = mutable.Map.empty[PythonWorkerSpec, mutable.ArrayDeque[PythonWorker]]

  sys.addShutdownHook(close())

  /** A worker: one that ran this task before, one that knows the program, any, or a new one. */
  def borrow(spec: PythonWorkerSpec, program: String, task: String): PythonWorker = synchronized {
    val waiting = idle.getOrElseUpdate(spec, mutable.ArrayDeque.empty)
    waiting.filterInPlace(_.alive)
    val found = waiting.find(_.tasks.contains(task)).orElse(waiting.find(worker => worker.programs(program) && worker.tasks.isEmpty))
      .orElse(waiting.headOption)
    found.foreach(waiting -= _)
    found
  }.getOrElse(new PythonWorker(spec))

  /** Gives back a worker; one that has seen many applications is not kept. */
  def giveBack(worker: PythonWorker): Unit =
    if (worker.programs.size > MostPrograms) worker.end()
    else synchronized(idle.getOrElseUpdate(worker.spec, mutable.ArrayDeque.empty) += worker)

  /** No application needs them any more. */
  def close(): Unit = {
    val last = synchronized {
      val found = idle.values.flatten.toSeq
      idle.clear()
      found
    }
    last.foreach(_.end())
  }

  private def ended(code: Int): String = if (code > 128) s"signal ${code - 128} ended it" else s"it ended with $code"

  private def seconds(ms: Long): String = if (ms % 1000 == 0) s"${ms / 1000}s" else s"${ms}ms"

  private def tail(log: File): String = {
    val said = java.nio.file.Files.readAllBytes(log.toPath)
    new String(said, math.max(0, said.length - Said), math.min(Said, said.length), "UTF-8").trim
  }
}

/** Rings when something took too long. */
object Watchdog {
  private val timer = new ScheduledThreadPoolExecutor(1, work => {
    val thread = new Thread(work, "headrace-watchdog")
    thread.setDaemon(true)
    thread
  })
  timer.setRemoveOnCancelPolicy(true)

  def after(ms: Long)(ring: => Unit): ScheduledFuture[_] = timer.schedule((() => ring): Runnable, ms, TimeUnit.MILLISECONDS)
}
