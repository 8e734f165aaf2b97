package headrace.python

import headrace.kafka.TopicLimits
import headrace.model.Refusal
import headrace.spec.PythonCodeSpec

/** A function of the user's that says of each record which a topic does not take what becomes of it.
  *
  * A Python process is asked. That is seldom, so that it knows nothing from one question to the next.
  *
  * @param function as Python reads it
  */
case class Handler(function: PythonCodeSpec) {
  /** "fail", "skip" or "dead_letter". */
  def answer(record: TopicLimits.Written, refusal: Refusal): String = {
    val process = PythonWorker.borrow(function.worker, function.id, function.id)
    var done = false
    try {
      val frame = new FrameWriter
      frame.bytes(function.code).bytes(record.value)
      frame.text(record.topic).text(refusal.error).text(refusal.getMessage)
      process.send('H', frame.take())
      val said = process.receive() match {
        case ('A', answer) => answer.text()
        case ('F', failed) => PythonTask.fail(failed)
        case (other, _) => throw new IllegalStateException(s"a Python worker said '$other'")
      }
      done = true
      said
    } finally if (done) PythonWorker.giveBack(process) else process.forget()
  }
}
