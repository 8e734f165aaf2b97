"""Query of Spark that runs a placement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from headrace.errors import QueryFailed, SparkLost
from headrace.model.batches import Batch
from headrace.model.clock import Clock
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.native import Native
from headrace.spark.compile.sink import FORMAT, sink_rows
from headrace.spark.compile.source import Starts, read_topics, source_flow
from headrace.spark.compile.stage import run_stage
from headrace.spark.compile.task_numbers import Tasks
from headrace.spark.faults import find_fault
from headrace.spark.layout.placement import Placement
from headrace.spark.progress import batch_of, counts_of
from headrace.spark.session.spark import kernel, note_run
from headrace.spark.session.workers import Workers

_POOL = "spark.scheduler.pool"
"""Of those who share the cores: each application has one, so that the long batch of one does not hold up others."""

# For each file on a local disk the usual ones start processes of the operating system: to rename it, for its rights.
# Hadoop would give out again what it has opened before with other settings.
_LOCAL_FILES = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "fs.file.impl": "org.apache.spark.sql.headrace.PlainFiles",
    "fs.file.impl.disable.cache": "true",
}


def dataframe(
    session: SparkSession,
    placement: Placement,
    *,
    kafka: Mapping[str, str],
    sharing: Sharing,
    clock: Clock,
    starts: Starts,
    sink: Mapping[str, str],
    workers: Workers,
    still: bool = False,
) -> DataFrame:
    """DataFrame from the source to the rows of the sink; `starts` are start offsets, `sink` its options.

    `workers` is how Python processes are started. If it stands `still`, no record is read.
    """
    records = read_topics(session, placement, sharing, kafka=kafka, clock=clock, starts=starts, still=still)
    return written_rows(records, placement, sharing=sharing, sink=sink, workers=workers)


def written_rows(
    records: DataFrame, placement: Placement, *, sharing: Sharing, sink: Mapping[str, str], workers: Workers
) -> DataFrame:
    """The rows of the sink that come of the records of all sources."""
    session = records.sparkSession
    session.conf.set("spark.sql.shuffle.partitions", sharing.tasks)
    kernel(session).Kernel.writes(session._jsparkSession, dict(sink))
    grouped = Tasks(list(kernel(session, "model").Groups.of(sharing.tasks)))
    native = Native(placement, grouped)
    flow = native.run(source_flow(records, placement, grouped, sharing, workers), 0)
    for number in range(1, placement.stages + 1):
        flow = native.run(run_stage(flow, placement, sharing, number, workers), number)
    return sink_rows(flow, placement)


class Query:
    """A running Spark query."""

    def __init__(self, query: StreamingQuery, session: SparkSession, log: Path | str) -> None:
        self._query, self._session, self._log = query, session, log
        self._counted = -1
        """The number of the last batch that was told of."""

        self._tally = kernel(session).BatchTally.of(session._jsparkSession)
        # Looked up once: to find a class by the parts of its name, the JVM looks into all of its jars for each part.
        self._ended, self._progress = kernel(session).Kernel.ended, kernel(session).Kernel.progress

    @staticmethod
    def start(
        rows: DataFrame,
        *,
        name: str,
        sink: Mapping[str, str],
        checkpoint: str,
        until_latest: bool,
        log: Path | str,
    ) -> Query:
        """Start writing the rows: until the end of what is there now, or for good."""
        if "://" not in checkpoint or checkpoint.startswith("file:"):
            for setting, value in _LOCAL_FILES.items():
                rows.sparkSession.conf.set(setting, value)
        rows.sparkSession.sparkContext.setLocalProperty(_POOL, name)
        writer = (
            rows.writeStream.format(FORMAT)
            .queryName(name)
            .outputMode("append")
            .option("checkpointLocation", checkpoint)
            .option("tally", kernel(rows.sparkSession).BatchTally.of(rows.sparkSession._jsparkSession).id())
            .options(**sink)
        )
        writer = writer.trigger(availableNow=True) if until_latest else writer.trigger(processingTime="0 seconds")
        query = Query(writer.start(), rows.sparkSession, log)
        note_run()
        return query

    def wait(self, seconds: float) -> bool:
        """Wait for the end, good or bad, or for a batch that `new_batches` has not told of; whether it is the end."""
        with talking(self._log):
            return bool(self._ended(self._query._jsq, self._counted, max(1, int(seconds * 1000))))

    def finish(self) -> None:
        """Let the batch that runs end, then the query."""
        with talking(self._log):
            kernel(self._session).Kernel.finish(self._query._jsq)

    def stop(self) -> None:
        """End the query now, in the middle of a batch if there is one."""
        with talking(self._log):
            self._query.stop()

    def tasks(self) -> tuple[int, int]:
        """How many tasks of the batch that runs are done, and how many it has; none if no batch runs."""
        with talking(self._log):
            tracker = self._session.sparkContext.statusTracker()
            jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(str(self._query.runId))]
            running = [stage for job in jobs if job is not None and job.status == "RUNNING" for stage in job.stageIds]
            known = [stage for stage in map(tracker.getStageInfo, running) if stage is not None]
            return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)

    def failure(self) -> list[str]:
        """Texts of the exceptions that the query failed with, the innermost last; nothing if it did not fail."""
        with talking(self._log):
            failure: Any = self._query._jsq.exception()
            return texts_of(failure.get()) if failure.isDefined() else []

    def new_batches(self) -> list[Batch]:
        """The batches that ended since the last call."""
        with talking(self._log):
            fresh = json.loads(self._progress(self._query._jsq, self._counted))
            self._counted = fresh[-1]["batchId"] if fresh else self._counted
            # What the kernel counted is asked for once the batch is done: a batch that fails counts nothing.
            return [batch_of(one, counts_of(self._tally.take(one["batchId"]))) for one in fresh]


@contextmanager
def talking(log: Path | str) -> Iterator[None]:
    """Conversation with the JVM: SparkLost where there is none any more, whatever Java throws as it is."""
    try:
        yield
    except Py4JJavaError:
        raise
    except (Py4JError, ConnectionError) as exc:
        raise SparkLost(str(log)) from exc


def causes_of(failure: BaseException) -> list[str]:
    """The texts of what Spark has thrown, the innermost last."""
    with suppress(Py4JError, ConnectionError):
        if isinstance(failure, Py4JJavaError):
            return texts_of(failure.java_exception)
    return [str(failure)]


def texts_of(thrown: Any) -> list[str]:
    """The texts of an exception and of those that it came of, the innermost last."""
    texts = []
    while thrown is not None:
        texts.append(str(thrown.toString()))
        thrown = thrown.getCause()
    return texts


@contextmanager
def plain_errors(app: str, log: Path | str, hidden: Callable[[str], str] = str) -> Iterator[None]:
    """Report errors of Spark while a query is built and started, in one sentence, without `hidden` secrets."""
    try:
        yield
    except (Py4JNetworkError, ConnectionError) as exc:
        raise SparkLost(str(log)) from exc
    except (PySparkException, Py4JError) as exc:
        fault = find_fault("\n".join(causes_of(exc)))
        if fault is not None:
            raise fault from exc
        raise QueryFailed(app, hidden(str(exc).strip().splitlines()[0]), str(log)) from exc
