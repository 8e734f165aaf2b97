"""A workload on headrace."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import headrace as hr
from bench.job import Job, await_end_of_stdin, tell
from bench.workloads import WORKLOADS
from bench.workloads.base import Topics

_STATE_S = 2.0


def main() -> None:
    job = Job.read(sys.argv[1])
    app = hr.App(
        "bench",
        broker=job.address,
        kafka={"compression.type": "none"},
        checkpoint=job.folder,
        emit="every" if job.every else "settled",
        guarantee="exactly_once" if job.once else "at_least_once",
    )
    WORKLOADS[job.workload].declare(app, Topics(job.source, job.table, job.target))
    app.start(until=None if job.live else "latest")
    tell("polling")
    if job.live:
        threading.Thread(target=_tell_state, args=[app, Path(job.folder)], daemon=True).start()
        await_end_of_stdin()
        tell("batches", ms=_batch_ms(app))
        app.close()
    while not app.wait(0.1):
        tell("read", records=app.metrics().records_in)


def _tell_state(app: hr.App, checkpoint: Path) -> None:
    while not app.wait(_STATE_S):
        metrics = app.metrics()
        if metrics.last is not None:
            rows, size = (
                sum(getattr(stage, name) for stage in metrics.stages) for name in ("state_rows", "state_bytes")
            )
            files = sum(1 for _ in checkpoint.rglob("*"))
            tell("state", rows=rows, bytes=size, ms=metrics.last.duration_ms, files=files)


def _batch_ms(app: hr.App) -> list[int]:
    """How long the last batches took, as Spark says."""
    query = app._run and app._run._query
    batches = query._query.recentProgress if query else []
    return [batch.durationMs["triggerExecution"] for batch in batches if batch.numInputRows]


if __name__ == "__main__":
    main()
