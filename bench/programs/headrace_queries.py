"""The store of counts on headrace, asked in its process and over REST."""

from __future__ import annotations

import random
import sys
import time
from array import array
from itertools import islice
from typing import Any

import headrace as hr
from bench.job import Job, tell
from bench.queries.answers import APP, HOST, STORE
from bench.workloads import WORKLOADS
from bench.workloads.base import SEED, Topics
from bench.workloads.queries import mixed

_EACH = 1_000
_DRAWN = 200_000


def declared(job: Job) -> hr.App:
    """The application; also what a query server of its own is told."""
    app = hr.App(
        APP,
        broker=job.address,
        kafka={"compression.type": "none"},
        checkpoint=job.folder,
        guarantee="exactly_once" if job.once else "at_least_once",
        serve=f"{HOST}:{job.port}",
    )
    WORKLOADS[job.workload].declare(app, Topics(job.source, job.table, job.target))
    return app


def main() -> None:
    job = Job.read(sys.argv[1])
    app = declared(job)
    app.start()
    tell("polling")
    tell("serving")
    # A line of the input is for how many seconds to ask in this process.
    for line in sys.stdin:
        gets, seconds = _get(app.store(STORE), job.records, float(line))
        tell("gets", records=gets, seconds=seconds)
    app.close()


def _get(store: Any, entries: int, seconds: float) -> tuple[int, float]:
    """Ask in turn for a key that changes and for any, on one thread; no count goes back."""
    # Drawn before: a random number takes as long as a tenth of a get may.
    keys = list(islice(mixed(entries, random.Random(SEED)), _DRAWN))
    last, get, gets, begin = array("q", bytes(8 * entries)), store.get, 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        at = gets % _DRAWN
        for key in keys[at : at + _EACH]:
            count = get(key)
            if count < last[key]:
                raise AssertionError(f"key {key} had the count {last[key]}, and then {count}")
            last[key] = count
        gets += _EACH
    return gets, time.perf_counter() - begin


if __name__ == "__main__":
    main()
