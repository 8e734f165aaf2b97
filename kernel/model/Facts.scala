package headrace.model

// What Python says: `UPDATE_GOLDEN=1 pytest tests/plans` writes this file, and a test compares.

/** See headrace.model.queue_bits. */
object QueueBits {
  final val Place = 40
  final val Topic = 24
  final val Partitions = 16777215L
  final val Numbers = 65535L
  final val Behind = 8388608L
  final val OnTime = 4194304L
}

/** See headrace.model.fault_kinds. */
object FaultKind {
  final val Undecodable = "undecodable"
  final val Failed = "failed"
  final val TimestampInvalid = "timestamp-invalid"
  final val Unwritable = "unwritable"
  final val TopicMissing = "topic-missing"
  final val TopicReplaced = "topic-replaced"
  final val NotAllowed = "not-allowed"
  final val PartitionsChanged = "partitions-changed"
  final val RecordsGone = "records-gone"
  final val BatchBehind = "batch-behind"
  final val BatchTooLong = "batch-too-long"
  final val BufferFull = "buffer-full"
  final val Python = "python"
  final val WorkerLost = "worker-lost"
  final val KernelMismatch = "kernel-mismatch"
}

/** See headrace.task.drops. */
object Reason extends Enumeration {
  val NoKey = Value("no key")
  val NoValue = Value("no value")
  val Late = Value("late")
  val Older = Value("older than the row")
  val NoTime = Value("no time")
  val NoPartition = Value("no partition")
  val Early = Value("before the window")
  val Duplicate = Value("duplicate")
  val Failed = Value("failed")
  val Refused = Value("refused")
  val Outdated = Value("the row has changed since it asked")
}

/** See headrace.plan.nodes.base. */
object SideOutput extends Enumeration {
  val Late = Value("late")
  val Failed = Value("failed")
  val Expired = Value("expired")
  val Stored = Value("stored")
}

/** See headrace.spark.spec.stage. */
object Going extends Enumeration {
  val On = Value("on")
  val Later = Value("later")
  val Out = Value("out")
}

/** See headrace.plan.state.layout. */
object KeyForm extends Enumeration {
  val Rest = Value("rest")
  val Sized = Value("sized")
  val SizedTwice = Value("sized twice")
  val Ended = Value("ended")
  val Held = Value("held")
}

/** See headrace.plan.state.layout. */
object TimeAt extends Enumeration {
  val Front = Value("front")
  val Behind = Value("behind")
}

/** See headrace.spark.rescaling. */
object MoveBy extends Enumeration {
  val Key = Value("key")
  val Task = Value("task")
  val All = Value("all")
}
