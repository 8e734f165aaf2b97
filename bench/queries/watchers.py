"""Many watchers of one server, each of one key, in a process of their own; what each was told is written to a file.

Says `watching` when all have been told the current count. Ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.job import tell
from bench.queries.answers import APP, HOST, STORE
from bench.queries.probe import reader
from bench.topic import Broker
from bench.workloads.base import Void


@dataclass(frozen=True, kw_only=True)
class Watching:
    """Whom to ask, and for how many keys: the first ones."""

    port: int
    address: str
    changelog: str
    watchers: int
    file: str


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the watchers were told: counts by key in their order, and how long after the commit, in milliseconds."""

    counts: Sequence[Sequence[int]]
    waits: Sequence[float]
    """From when a reader of committed records had a count to when the watcher of its key did."""
    cores: float


def command(watching: Watching) -> list[str]:
    """How to run it."""
    return [sys.executable, "-m", "bench.queries.watchers", json.dumps(asdict(watching))]


def told(watching: Watching) -> Told:
    """What it has written."""
    return Told(**json.loads(Path(watching.file).read_text()))


def verify(told: Sequence[Sequence[int]], changes: Mapping[int, Sequence[int]]) -> None:
    """Raise Void unless each watcher was told all counts that its key has had since the first one it was told."""
    for key, counts in enumerate(told):
        if not counts or list(counts) != list(changes[key][-len(counts) :]):
            raise Void(f"the watcher of key {key} was told {counts}, and not the last of {changes[key]}")


class _Watcher:
    """One connection."""

    def __init__(self, port: int, key: int) -> None:
        self._port, self._key = port, key
        self.changes: list[tuple[int, float]] = []
        self.current = asyncio.Event()

    async def follow(self) -> None:
        reading, writing = await asyncio.open_connection(HOST, self._port)
        path = f"/apps/{APP}/stores/{STORE}/watch?key={self._key}"
        writing.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAccept: text/event-stream\r\n\r\n".encode())
        head = await reading.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200") or b"chunked" not in head.lower():
            raise Void(f"watching was answered with {head.decode()}")
        async for event in events(reading):
            self._hear(event)

    def _hear(self, event: bytes) -> None:
        fields = dict(line.split(b": ", 1) for line in event.splitlines() if b": " in line)
        kind = fields.get(b"event")
        if kind == b"change":
            self.changes.append((json.loads(fields[b"data"])["value"], time.time()))
        elif kind == b"anew":
            self.changes.clear()
        elif kind == b"current":
            self.current.set()
        elif kind is not None:
            raise Void(f"the watcher of key {self._key} was told {event.decode()}")


async def events(reading: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Events, out of the chunks in which they come."""
    data = b""
    while size := int(await reading.readline(), 16):
        data += (await reading.readexactly(size + 2))[:-2]
        *whole, data = data.replace(b"\r\n", b"\n").split(b"\n\n")
        for event in whole:
            yield event


async def _watch(watching: Watching) -> list[list[tuple[int, float]]]:
    watchers = [_Watcher(watching.port, key) for key in range(watching.watchers)]
    following = asyncio.gather(*(one.follow() for one in watchers))
    current = asyncio.gather(*(one.current.wait() for one in watchers))
    await asyncio.wait((following, current), return_when=asyncio.FIRST_COMPLETED)
    if not following.done():
        tell("watching")
        ended = asyncio.ensure_future(asyncio.to_thread(sys.stdin.read))
        await asyncio.wait((following, ended), return_when=asyncio.FIRST_COMPLETED)
    if following.done():
        await following
        raise Void("the server ended a watch")
    following.cancel()
    return [one.changes for one in watchers]


def main() -> None:
    watching = Watching(**json.loads(sys.argv[1]))
    broker = Broker(watching.address, 0, Path())
    begun, used = time.monotonic(), time.process_time()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4_096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with reader(broker, watching.changelog) as seen:
        changes = asyncio.run(_watch(watching))
    waits = [
        (at - seen[key, count]) * 1000
        for key, those in enumerate(changes)
        for count, at in those[1:]
        if (key, count) in seen
    ]
    counts = [[count for count, _ in those] for those in changes]
    cores = (time.process_time() - used) / (time.monotonic() - begun)
    Path(watching.file).write_text(json.dumps(asdict(Told(counts=counts, waits=sorted(waits), cores=cores))))


if __name__ == "__main__":
    main()
