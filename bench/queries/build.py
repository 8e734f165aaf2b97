"""A replica is built from the changelog of the store: of headrace by a cold query server, of Kafka Streams by a restart
that finds no state."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.contenders import Contender
from bench.job import Job
from bench.process import Program
from bench.queries.answers import APP, HOST, KEYS, Asker, free_port
from bench.topic import Broker
from bench.workloads.base import Void

_BUILD_S, _CLOSE_S, _POLL_S = 600.0, 60.0, 0.05

_APP = """
from bench.job import Job
from bench.programs.headrace_queries import declared

app = declared(Job.read({job!r}))
"""


@dataclass(frozen=True)
class Built:
    """Records of the changelog, how long they took, and how long from the start of the program to an answer."""

    records: int
    seconds: float
    start_s: float


def replicated(job: Job, broker: Broker, folder: Path) -> Built:
    """By a query server that has nothing yet."""
    file, port = folder / "app.py", free_port()
    file.write_text(_APP.format(job=job.text()))
    serve = ["query", "serve", str(file), "--listen", f"{HOST}:{port}", "--directory", str(folder / "replica")]
    root = str(Path(__file__).parents[2])
    path = {"PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    begun = time.time()
    server = Program([sys.executable, "-m", "headrace.cli.main", *serve], broker.pid, folder / "server.log", path)
    try:
        asker = _reached(server, port)
        first, (before, ready) = time.time(), _progress(asker)
        records = before
        while not ready:
            if not server.alive or time.time() - begun > _BUILD_S:
                raise Void(f"the query server has read {records:,} records, and is not ready")
            time.sleep(_POLL_S)
            records, ready = _progress(asker)
        at = time.time()
        asker.count(0)
    finally:
        server.kill()
    # What was read before the first look is counted at the pace of the rest.
    seconds = (at - first) * records / (records - before) if records > before else at - begun
    return Built(records, seconds, at - begun)


def rebuilt(contender: Contender, job: Job, broker: Broker, folder: Path) -> Built:
    """By the program itself, when its state is gone."""
    shutil.rmtree(job.folder)
    program = Program(contender.command(job), broker.pid, folder / "errors.log")
    try:
        if not program.await_mark("serving", _BUILD_S):
            raise Void("it did not come back without its state")
        Asker(job.port).count(0)
    finally:
        ran = program.finish(_CLOSE_S, stop=True)
    restored, serving = [one for one in ran.marks if one["mark"] == "restored"], ran.mark("serving")
    if not restored or serving is None:
        raise Void("it did not tell what it has restored")
    return Built(restored[-1]["records"], restored[-1]["seconds"], serving["at"] - ran.begun)


def _reached(server: Program, port: int) -> Asker:
    """Wait until it listens."""
    deadline = time.time() + _BUILD_S
    while server.alive and time.time() < deadline:
        try:
            return Asker(port)
        except ConnectionRefusedError:
            time.sleep(_POLL_S)
    raise Void(f"the query server for {KEYS} did not start")


def _progress(asker: Asker) -> tuple[int, bool]:
    """How many records of the changelog it has read, and whether those are all."""
    answer = asker.get(f"/apps/{APP}/instances")
    if answer.status != 200:
        return 0, False
    shares = [share for one in json.loads(answer.body)["instances"] for share in one["shares"]]
    return sum(one["offset"] for one in shares), bool(shares) and all(one["ready"] for one in shares)
