"""Ask for keys by a schedule that is fixed in advance, whatever the server does: a process of its own.

A question that is due waits while all connections are busy, and that counts: a latency is from the time of the schedule
to when all of the answer is there. A count has to be at least the highest that had been answered for its key when the
question was sent.
"""

from __future__ import annotations

import json
import random
import select
import socket
import subprocess
import sys
import time
from array import array
from collections import deque
from dataclasses import asdict, dataclass

from bench.queries.answers import HOST, KEYS, parsed, quantile, request
from bench.workloads.base import SEED, Void
from bench.workloads.queries import mixed

CONNECTIONS = 32
_PATIENCE_S, _BEHIND_S = 10.0, 2.0


@dataclass(frozen=True, kw_only=True)
class Load:
    """What to ask."""

    port: int
    entries: int
    rate: int
    """Questions a second; 0: the next one as soon as a connection is free."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What came of it: milliseconds, and the CPU that asking took, in cores."""

    answers: int
    rate: float
    p50: float
    p99: float
    most: float
    cores: float


def loaded(load: Load) -> Loaded:
    """Ask in a process of its own; Void if an answer is wrong or does not come."""
    command = [sys.executable, "-m", "bench.queries.load", json.dumps(asdict(load))]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    told = json.loads(ran.stdout)
    if "void" in told:
        raise Void(told["void"])
    return Loaded(**told)


class _Connection:
    """One question at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.data = bytearray()
        self.key, self.due, self.floor = 0, 0.0, 0


class Asking:
    """Questions under way, in this process."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._keys = mixed(load.entries, random.Random(SEED))
        self._idle = deque(_Connection(load.port) for _ in range(CONNECTIONS))
        self._busy: dict[int, _Connection] = {}
        self._highest = array("q", bytes(8 * load.entries))
        self._waits: list[float] = []

    def run(self) -> Loaded:
        """Until all are answered."""
        load, clock, idle, busy = self._load, time.perf_counter, self._idle, self._busy
        begin, used = clock() + 0.01, time.process_time()
        end = begin + load.seconds
        step, due = 1 / load.rate if load.rate else 0.0, begin
        asked = 0
        while True:
            now = clock()
            if not step:
                due = max(now, begin)
            if now - due > _BEHIND_S:
                end = due  # Too many for it: what it was asked so far tells that.
            while idle and due <= now and due < end:
                self._ask(idle.popleft(), due)
                asked += 1
                due = begin + asked * step if step else now
            if due >= end and not busy:
                break
            if now > end + _PATIENCE_S:
                raise Void(f"{len(busy)} questions have no answer after {_PATIENCE_S:g} s")
            wait = max(0.0, min(due, end) - now) if idle else _PATIENCE_S
            for ready in select.select(busy, (), (), wait if due < end else _PATIENCE_S)[0]:
                self._hear(busy[ready])
        taken, waits = clock() - begin, sorted(self._waits)
        return Loaded(
            answers=asked,
            rate=asked / taken,
            p50=quantile(waits, 0.5) * 1000,
            p99=quantile(waits, 0.99) * 1000,
            most=waits[-1] * 1000,
            cores=(time.process_time() - used) / taken,
        )

    def _ask(self, connection: _Connection, due: float) -> None:
        key = next(self._keys)
        connection.key, connection.due, connection.floor = key, due, self._highest[key]
        connection.socket.send(request(f"{KEYS}{key}"))
        self._busy[connection.socket.fileno()] = connection

    def _hear(self, connection: _Connection) -> None:
        more = connection.socket.recv(1 << 16)
        if not more:
            raise Void("the server closed a connection")
        connection.data += more
        answer = parsed(connection.data)
        if answer is None:
            return
        self._waits.append(time.perf_counter() - connection.due)
        count, key = answer.count, connection.key
        if count < connection.floor:
            raise Void(f"key {key} had the count {connection.floor}, and then {count}")
        self._highest[key] = max(self._highest[key], count)
        connection.data.clear()
        del self._busy[connection.socket.fileno()]
        self._idle.append(connection)


def main() -> None:
    try:
        print(json.dumps(asdict(Asking(Load(**json.loads(sys.argv[1]))).run())))
    except (Void, OSError) as wrong:
        print(json.dumps({"void": str(wrong)}))


if __name__ == "__main__":
    main()
