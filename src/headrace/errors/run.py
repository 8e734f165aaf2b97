"""The running application."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.base import HeadraceError


class RunError(HeadraceError):
    """The application cannot start, or had to stop."""

    code = "run"


class AppNotFound(RunError):
    """A file or module holds no application."""

    code = "app-not-found"

    def __init__(self, target: str, reason: str, fix: str) -> None:
        super().__init__(f"no application in {target}: {reason}", fix=fix)


class AlreadyStarted(RunError):
    """An application runs once at a time."""

    code = "already-started"

    def __init__(self, app: str, state: str) -> None:
        super().__init__(
            f"application {app!r} is {state} and cannot be started again meanwhile",
            fix="close() it first; a restart goes on from the checkpoint",
        )


class CheckpointInUse(RunError):
    """Another process runs on this checkpoint."""

    code = "checkpoint-in-use"

    def __init__(self, app: str, path: str, pid: str) -> None:
        super().__init__(
            f"application {app!r} is already running on this checkpoint (process {pid})",
            where=path,
            fix="stop that process, or give this application another id or checkpoint=",
        )


class TakenOver(RunError):
    """Another process goes on with the same application, so this one may not write any more."""

    code = "taken-over"

    def __init__(self, app: str, path: str) -> None:
        super().__init__(
            f"application {app!r} was taken over by another process that runs it",
            where=path,
            fix="nothing is lost or doubled; see to it that it is started once only",
        )


class CheckpointBehind(RunError):
    """More was written than the checkpoint knows of: it is a copy from before."""

    code = "checkpoint-behind"

    def __init__(self, task: str, written: int, batch: int) -> None:
        super().__init__(
            f"the checkpoint is at batch {batch}, but batch {written} was written already",
            where=task,
            fix="put back the newest checkpoint; else begin anew with headrace reset, or process all records since then"
            ' once more with guarantee="at_least_once", which may write duplicates; and start it once only',
        )


class BatchHalfDone(RunError):
    """A store joins an application in the middle of a batch."""

    code = "batch-half-done"

    def __init__(self, app: str, batch: int, stores: Sequence[str]) -> None:
        named = ", ".join(map(repr, stores))
        super().__init__(
            f"application {app!r} was ended in batch {batch}, and goes on in it with new stores: {named}",
            fix="let it finish the batch without them first: headrace run APP --until latest",
        )


class BatchTooLong(RunError):
    """A batch took longer than a transaction may be open, so the broker gave up what it had written."""

    code = "batch-too-long"
    may_pass = True  # as when a service that a function asks was slow

    def __init__(self, took_ms: int, most_ms: int) -> None:
        super().__init__(
            f"a batch was not done after {took_ms // 1000} s, and the broker has given up its transaction, which may be"
            f" open for {most_ms // 1000} s",
            fix='make its functions faster; or do without transactions until it is done: guarantee="at_least_once"; or'
            ' let them be open for longer: kafka={"transaction.timeout.ms": ...}, up to transaction.max.timeout.ms of'
            " the broker",
        )


class CheckpointUnwritable(RunError):
    """The checkpoint directory cannot be written."""

    code = "checkpoint-unwritable"
    may_pass = True

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the checkpoint directory cannot be written: {reason}",
            where=path,
            fix="make room or give the right to write there, or name another directory with checkpoint=;"
            " nothing is lost, the next start goes on from the last finished batch",
        )


class CheckpointLost(RunError):
    """The application has run before, and its checkpoint is not there."""

    code = "checkpoint-lost"

    def __init__(self, app: str, path: str, found: Sequence[str], *, beside: bool = False) -> None:
        anew = (
            "begin anew, and all is read and written again: headrace reset app.py --to earliest; or, if it was Kafka"
            " Streams that has run, headrace adopt app.py"
        )
        if beside:
            anew = "run it beside the live one under another name: --as"
        super().__init__(
            f"application {app!r} has run before, and its checkpoint is not here: {'; '.join(found)}",
            where=path,
            fix="give the checkpoint back (a volume that is not mounted? another checkpoint=?), and it goes on; or"
            f" {anew}; nothing was changed, and state cannot be restored from Kafka yet",
        )


class EngineCannot(RunError):
    """The engine that was chosen does not run what the application has."""

    code = "engine-cannot"

    def __init__(self, app: str, engine: str, found: Sequence[str]) -> None:
        super().__init__(
            f"application {app!r}: engine={engine!r} cannot run yet: {'; '.join(found)}",
            fix='run it with engine="batch", which runs everything',
        )


class CheckpointForeign(RunError):
    """The checkpoint belongs to another cluster or another shape of this application."""

    code = "checkpoint-foreign"

    def __init__(self, path: str, what: str, there: object, here: object, fix: str | None = None) -> None:
        super().__init__(
            f"this checkpoint was made with {what} {there}, now it is {here}",
            where=path,
            fix=fix or "start with the old one, give the application a new id, or begin anew: headrace reset",
        )


class StateChanged(RunError):
    """The state in the checkpoint was kept by a topology that this one cannot go on from."""

    code = "state-changed"

    def __init__(self, app: str, path: str, differences: Sequence[str], hint: str = "") -> None:
        super().__init__(
            f"application {app!r} does not fit its state: {'; '.join(differences)}",
            where=path,
            fix=f"{hint}start with the old topology; or migrate: give the new one another application id, it then reads"
            " its topics again while the old one runs; or begin anew under this id: headrace reset",
        )


class RecordUndecodable(RunError):
    """A record's bytes are not what its serde says."""

    code = "record-undecodable"

    def __init__(self, part: str, serde: str, reason: str, where: str) -> None:
        super().__init__(
            f"the {part} of a record is not {serde}: {reason}",
            where=where,
            fix="read the topic with the serde it was written with;"
            " the application goes on from here at its next start",
        )


class RecordFailed(RunError):
    """A user's function, or writing its result, failed on a record."""

    code = "record-failed"

    def __init__(self, node: str, reason: str, where: str | None) -> None:
        self.node, self.reason = node, reason
        super().__init__(
            f"{node} failed on a record: {reason}",
            where=where,
            fix="mend the function or filter such records out before it;"
            " the application goes on from here at its next start",
        )


class WorkerLost(RunError):
    """A Python process ended, or was silent for too long, and so did those that took its place."""

    code = "worker-lost"
    may_pass = True  # as when the machine was short of memory

    def __init__(self, reason: str, where: str | None = None) -> None:
        super().__init__(
            f"a Python process was lost again and again: {reason}",
            where=where,
            fix="mend the code that runs there; worker_timeout= and worker_memory_mb= are its limits",
        )


class WrongRows(RunError):
    """A function of batches gave something else than rows that belong to those it was given."""

    code = "wrong-rows"

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason, fix=fix)


class TimestampInvalid(RunError):
    """A record has no time that could be used."""

    code = "timestamp-invalid"

    def __init__(self, ts: int, reason: str, where: str | None) -> None:
        super().__init__(
            f"a record has the time {ts}, {reason}",
            where=where,
            fix='say with timestamp= of its stream or table what to do: "skip", "partition_time", "wall_clock", or a'
            " function that finds the time in the record",
        )


class RecordsGone(RunError):
    """Records were deleted before the application had read them."""

    code = "records-gone"

    def __init__(self, partition: str, offset: int) -> None:
        super().__init__(
            f"{partition} has no record {offset} any more, it was deleted before it was read",
            fix="have the topic keep records for longer (retention.ms, retention.bytes); say from where to go on with:"
            " headrace reset app.py",
        )


class CannotRunBeside(RunError):
    """A second run would write to the topics of the live application."""

    code = "cannot-run-beside"

    def __init__(self, node: str, origin: str) -> None:
        super().__init__(
            f"{node} writes to topics that a function names, so it cannot run beside the live application",
            where=origin,
            fix="let the function name other topics in a copy of the application with another id",
        )


class ResetRefused(RunError):
    """A reset cannot begin from these offsets."""

    code = "reset-refused"

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason, fix=fix)


class RescaleRefused(RunError):
    """The state cannot be shared among another number of tasks."""

    code = "rescale-refused"

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason, fix=fix)


class AdoptRefused(RunError):
    """An application cannot begin with the state and offsets of this Kafka Streams application."""

    code = "adopt-refused"

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason, fix=fix)


class BufferFull(RunError):
    """More results have to wait than their operator may hold back."""

    code = "buffer-full"

    def __init__(self, node: str, most: str, where: str | None) -> None:
        super().__init__(
            f"{node} would hold back more than {most}",
            where=where,
            fix="give a larger max_records or max_bytes, or none; the application goes on from here at its next start",
        )


class PartitionsChanged(RunError):
    """A topic has another number of partitions than when the state was made."""

    code = "partitions-changed"

    def __init__(self, topic: str, there: int, here: str) -> None:
        super().__init__(
            f"topic {topic!r} has {here} partitions, the state of this application was made when it had {there}",
            fix="keys may have moved to other partitions, so counts would go on in the wrong place: have the"
            " state follow them with headrace rescale, or begin anew with headrace reset",
        )


class CheckpointBroken(RunError):
    """A file of headrace's in a checkpoint cannot be read."""

    code = "checkpoint-broken"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the checkpoint cannot be read: {reason}",
            where=path,
            fix="put the file back from a copy; or remove the checkpoint directory, and begin anew with headrace reset",
        )


class BrokerLost(RunError):
    """The broker stopped answering while the application ran."""

    code = "broker-lost"
    may_pass = True

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"the Kafka broker at {address} stopped answering: {reason}",
            fix="start it again, then the application: it goes on from the last finished batch",
        )


class SparkLost(RunError):
    """The JVM that runs Spark is gone."""

    code = "spark-lost"
    may_pass = True

    def __init__(self, log: str) -> None:
        super().__init__(
            "Spark's process has ended or does not answer",
            where=f"Spark's log: {log}",
            fix="look into the log (out of memory?), then start again: it goes on from the last finished batch",
        )


class QueryFailed(RunError):
    """Spark stopped the query for a reason headrace has no better word for."""

    code = "query-failed"
    may_pass = True

    def __init__(self, app: str, reason: str, log: str) -> None:
        super().__init__(f"application {app!r} failed: {reason}", where=f"Spark's log: {log}")


class EngineFailed(RunError):
    """The engine in this process stopped for a reason headrace has no better word for."""

    code = "engine-failed"

    def __init__(self, app: str, reason: str) -> None:
        super().__init__(f"application {app!r} failed: {reason}", fix="tell us: this is a fault of ours")


class CommandWithoutCheckpoint(RunError):
    """A command works on checkpoints of Spark, and the application has none."""

    code = "command-without-checkpoint"

    def __init__(self, command: str, app: str, engine: str) -> None:
        super().__init__(
            f"{command} works on checkpoints of Spark, and application {app!r} has none with engine={engine!r}",
            fix="its state is in a topic: begin anew with headrace reset app.py --to earliest, or run it with"
            ' engine="batch" under another id',
        )
