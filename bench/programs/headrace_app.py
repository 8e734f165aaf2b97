"""A workload on headrace."""

from __future__ import annotations

import sys
import threading
from collections import deque
from pathlib import Path

import headrace as hr
from bench.job import Job, await_end_of_stdin, tell
from bench.workloads import WORKLOADS
from bench.workloads.base import Topics
from headrace.observe.metrics import Metrics

_STATE_S, _LAST_BATCHES = 2.0, 100


def main() -> None:
    job = Job.read(sys.argv[1])
    app = hr.App(
        job.target,  # each run is an application of its own
        broker=job.address,
        kafka={"compression.type": "none"},
        checkpoint=job.folder,
        emit="every" if job.every else "settled",
        guarantee="exactly_once" if job.once else "at_least_once",
    )
    WORKLOADS[job.workload].declare(app, Topics(job.source, job.table, job.target))
    batch_ms: deque[int] = deque(maxlen=_LAST_BATCHES)
    app.on_batch(lambda metrics: _note(metrics, batch_ms))
    app.start(until=None if job.live else "latest")
    tell("polling")
    if job.live:
        threading.Thread(target=_tell_state, args=[app, Path(job.folder)], daemon=True).start()
        await_end_of_stdin()
        tell("batches", ms=list(batch_ms))
        app.close()
    while not app.wait(0.1):
        tell("read", records=app.metrics().records_in)


def _note(metrics: Metrics, batch_ms: deque[int]) -> None:
    """How long the last batch took, if it had records."""
    if metrics.last is not None and metrics.last.records_in:
        batch_ms.append(metrics.last.duration_ms)


def _tell_state(app: hr.App, checkpoint: Path) -> None:
    while not app.wait(_STATE_S):
        metrics = app.metrics()
        if metrics.last is not None:
            rows, size = (
                sum(getattr(stage, name) for stage in metrics.stages) for name in ("state_rows", "state_bytes")
            )
            files = sum(1 for _ in checkpoint.rglob("*"))
            tell("state", rows=rows, bytes=size, ms=metrics.last.duration_ms, files=files)


if __name__ == "__main__":
    main()
