"""A running job of stream threads."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from headrace.model.batches import Batch
from headrace.plan.nodes import Source
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.source import Starts, live_records
from headrace.spark.layout.placement import Placement
from headrace.spark.progress import batch_of_commits
from headrace.spark.query import talking, texts_of, written_rows
from headrace.spark.session.spark import kernel, note_run
from headrace.spark.session.workers import Workers


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How stream threads work: how many there are, how often they commit, and for how long a task waits for others."""

    threads: int
    commit_every_ms: int
    max_task_idle_ms: int = 0


class Job:
    """An application on stream threads."""

    def __init__(self, job: Any, session: SparkSession, log: Path | str) -> None:
        self._job, self._session, self._log = job, session, log
        self._number, self._told_at = -1, time.monotonic()

    @staticmethod
    def start(
        session: SparkSession,
        placement: Placement,
        *,
        name: str,
        sharing: Sharing,
        starts: Starts,
        sink: Mapping[str, str],
        workers: Workers,
        pace: Pace,
        exactly_once: bool,
        until_latest: bool,
        directory: Path | None,
        log: Path | str,
    ) -> Job:
        """Start the threads: until the end of what is there now, or for good; copies of state go to a directory."""
        rows: DataFrame = written_rows(
            live_records(session, placement, sharing), placement, sharing=sharing, sink=sink, workers=workers
        )
        topics = [topic for source in placement.plan.of(Source) for topic in source.topics]
        settings = {
            "app": name,
            "topics": ",".join(topics),
            "starts": json.dumps(starts),
            "tasks": str(sharing.tasks),
            "threads": str(pace.threads),
            "intervalMs": str(pace.commit_every_ms),
            "idleMs": str(pace.max_task_idle_ms),
            "once": str(exactly_once).lower(),
            "untilLatest": str(until_latest).lower(),
        }
        if directory is not None:
            settings["directory"] = str(directory)
        job = kernel(session).Kernel.runLive(rows._jdf, settings)
        note_run()
        return Job(job, session, log)

    def wait(self, seconds: float) -> bool:
        """Wait for the end, good or bad, or for a commit that `commits` has not told of; whether it is the end."""
        with talking(self._log):
            return bool(self._job.ended(max(1, int(seconds * 1000))))

    def finish(self) -> None:
        """Let the threads commit what they have begun, then end."""
        with talking(self._log):
            self._job.finish()

    def stop(self) -> None:
        """End the threads now: what is not committed is done again by the next start."""
        with talking(self._log):
            self._job.stop()

    def failure(self) -> list[str]:
        """What it failed of: the texts of the exceptions, the innermost last; nothing if it did not fail."""
        with talking(self._log):
            return texts_of(self._job.failure())

    def commits(self) -> list[Batch]:
        """What was committed since the last call, as one batch; nothing if nothing was."""
        with talking(self._log):
            told = json.loads(self._job.progress())
        if not told["counts"]:
            return []
        now = time.monotonic()
        self._number, taken_s, self._told_at = self._number + 1, now - self._told_at, now
        return [batch_of_commits(self._number, told, duration_ms=int(taken_s * 1000))]
