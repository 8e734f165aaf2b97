"""`python -m bench spark`: fills a topic, lets each system count its keys, and checks what they wrote."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import headrace as hr
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics

SYSTEMS = ("headrace", "plain_spark")
KEYS, PARTITIONS, VALUE = 10_000, 4, os.urandom(100)


@dataclass(frozen=True)
class Result:
    """What one system needed: seconds until it ran, and from then to the end of the topic."""

    system: str
    start_s: float
    drain_s: float

    def rate(self, records: int) -> float:
        return records / self.drain_s


def measure(records: int) -> str:
    """The report of a run."""
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as place:
        broker = EmbeddedBroker(Path(place) / "broker")
        with broker.join(say=print) as lease:
            expected = _fill(lease.address, records)
            results = [_measure(system, lease.address, expected) for system in SYSTEMS]
        broker.stop()
    return _report(results, records)


def _fill(address: str, records: int) -> Counter[bytes]:
    Topics(address).create("in", PARTITIONS)
    chance, expected = random.Random(1), Counter[bytes]()

    def numbered() -> Iterator[NewRecord]:
        for _ in range(records):
            key = b"%d" % chance.randrange(KEYS)
            expected[key] += 1
            yield NewRecord(key=key, value=VALUE)

    begun = time.monotonic()
    produce(address, None, "in", numbered())
    print(f"produced {records:,} records in {time.monotonic() - begun:.0f} s", flush=True)
    return expected


def _measure(system: str, address: str, expected: Counter[bytes]) -> Result:
    target = f"out-{system}"
    Topics(address).create(target, PARTITIONS)
    print(f"{system} ...", flush=True)
    with tempfile.TemporaryDirectory(prefix=f"headrace-bench-{system}-") as checkpoint:
        command = [sys.executable, "-m", f"bench.{system}", address, "in", target, checkpoint]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    result = Result(system, **json.loads(done.stdout.splitlines()[-1]))
    counts = {record.key: hr.INT64.decode(record.value) for record in consume(address, None, target)}
    if counts != expected:
        sys.exit(f"{system} counted wrongly: the run is void")
    return result


def _report(results: list[Result], records: int) -> str:
    base = next(result for result in results if result.system == "plain_spark")
    lines = [
        f"`make bench` (`python -m bench spark`) counts {records:,} records of {len(VALUE)} bytes by {KEYS:,} keys,",
        f"from a topic of {PARTITIONS} partitions to a topic of counts, on {os.cpu_count()} cores with",
        "the broker beside. Every count is checked.",
        "plain_spark is `groupBy(key).count()` in PySpark with Spark's own Kafka sink.",
        "",
        "| system | records/s | against plain Spark | start |",
        "|---|---|---|---|",
    ]
    for one in results:
        rate = one.rate(records)
        lines.append(f"| {one.system} | {rate:,.0f} | {rate / base.rate(records):.2f} | {one.start_s:.1f} s |")
    return "\n".join(lines)
