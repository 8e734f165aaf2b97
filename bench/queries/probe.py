"""When a count can be asked for: a process of its own sends records, and asks until they are counted.

Two times of each record: from when it was sent, and from when a reader of committed records had its count from the
changelog of the store, to when the server answered with it. The second is what an answer lags behind the commit; it is
below zero where the server was quicker than that reader, or answers with what is not committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.queries.answers import Asker, quantile
from bench.topic import Broker
from bench.workloads.base import Void, number_of

_LIMIT_S, _POLL_S, _ASK_S = 30.0, 0.02, 0.002

Seen = dict[tuple[int, int], float]
"""When each count of each key was seen."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What to send, and whom to ask."""

    port: int
    address: str
    source: str
    changelog: str
    keys: Sequence[int]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Probed:
    """Milliseconds, and how many records each key has had more."""

    rounds: int
    sent_p50: float
    sent_p99: float
    committed_p50: float
    committed_p99: float


def probed(probe: Probe) -> Probed:
    """Ask in a process of its own."""
    command = [sys.executable, "-m", "bench.queries.probe", json.dumps(asdict(probe))]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    if "void" in told:
        raise Void(told["void"])
    return Probed(**told)


@contextmanager
def reader(broker: Broker, changelog: str) -> Iterator[Seen]:
    """Note all the while when a reader of committed records has them."""
    seen: Seen = {}
    over, arriving = threading.Event(), broker.follow(changelog, poll_s=_POLL_S, from_end=True)

    def read() -> None:
        while not over.is_set():
            for one in next(arriving):
                seen[number_of(one.key), number_of(one.value)] = time.time()

    next(arriving)  # Where the end is has to be known before anything is sent.
    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def _run(probe: Probe) -> Probed:
    broker, asker = Broker(probe.address, 0, Path()), Asker(probe.port)
    producer = broker.producer(linger_ms=0)
    counts = {key: asker.count(key) for key in probe.keys}
    sent: list[tuple[int, int, float]] = []
    visible: list[float] = []
    with reader(broker, probe.changelog) as seen:
        end = time.time() + probe.seconds
        while time.time() < end:
            waiting = []
            for key in probe.keys:
                counts[key] += 1
                producer.produce(probe.source, b"probe", key.to_bytes(4, "big"))
                waiting.append((key, counts[key], time.time()))
            producer.flush()
            while waiting:
                for one in list(waiting):
                    if asker.count(one[0]) >= one[1]:
                        visible.append(time.time())
                        sent.append(one)
                        waiting.remove(one)
                if waiting and time.time() - waiting[0][2] > _LIMIT_S:
                    raise Void(f"key {waiting[0][0]} was not counted to {waiting[0][1]} within {_LIMIT_S:g} s")
                time.sleep(_ASK_S)  # asking without a pause would take a core from who is asked
        _await(seen, sent)
    since_sent = sorted(at - when for at, (_, _, when) in zip(visible, sent, strict=True))
    since_seen = sorted(at - _first(seen, key, count) for at, (key, count, _) in zip(visible, sent, strict=True))
    return Probed(
        rounds=len(sent) // len(probe.keys),
        sent_p50=quantile(since_sent, 0.5) * 1000,
        sent_p99=quantile(since_sent, 0.99) * 1000,
        committed_p50=quantile(since_seen, 0.5) * 1000,
        committed_p99=quantile(since_seen, 0.99) * 1000,
    )


def _await(seen: Seen, sent: Sequence[tuple[int, int, float]]) -> None:
    """The last counts may be answered before they are committed."""
    last = {key: count for key, count, _ in sent}
    deadline = time.time() + _LIMIT_S
    while any(one not in seen for one in last.items()):
        if time.time() > deadline:
            raise Void("counts that were answered are not in the changelog")
        time.sleep(_POLL_S)


def _first(seen: Seen, key: int, count: int) -> float:
    """When the count was there, or a higher one that took its place."""
    while (key, count) not in seen:
        count += 1
    return seen[key, count]


def main() -> None:
    try:
        print(json.dumps(asdict(_run(Probe(**json.loads(sys.argv[1]))))))
    except (Void, OSError) as wrong:
        print(json.dumps({"void": str(wrong)}))


if __name__ == "__main__":
    main()
