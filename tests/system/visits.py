"""An application with stores of every kind, its query servers as processes, and what their answers have to be."""

from __future__ import annotations

import http.client
import json
import random
import socket
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from confluent_kafka import KafkaError, Message, Producer

from headrace.log.records import ConsumedRecord, consume
from headrace.log.topics import Topics
from headrace.query.position import Position
from system.chaos import Application, Program

PARTITIONS, KEYS = 6, 300
WINDOW_MS, GAP_MS = 10_000, 2_000
BEGIN_MS = 1_700_000_000_000
RATE = 400
_PATIENCE_S = 120.0

Delivered = Callable[[KafkaError | None, Message], None]

PROGRAM = """
import headrace as hr

app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r}, serve=None)
visits = app.stream({source!r}, key=hr.STRING, value=hr.STRING).group_by_key()
visits.count(store="counts")
visits.windowed_by(hr.tumbling("10s", grace="1d")).count(store="windows")
visits.windowed_by(hr.session("2s", grace="1d")).count(store="sessions")

if __name__ == "__main__":
    app.run()
"""


def key(number: int) -> str:
    """The name of a key: in the order of their numbers."""
    return f"k{number:03}"


class Visits:
    """Records on their way to the application, and how many of each key there are."""

    def __init__(self, broker: str, source: str, chance: random.Random) -> None:
        self.broker, self.source, self._chance = broker, source, chance
        self.sent: Counter[str] = Counter()
        """Counted before they are sent: no answer may be ahead of it."""
        settings: dict[str, str | int] = {"partitioner": "murmur2_random", "linger.ms": 5, "log_level": 2}
        self._producer = Producer({"bootstrap.servers": broker, **settings})
        self._lock, self._number = threading.Lock(), 0

    def send(self, name: str, delivered: Delivered = lambda *_: None) -> None:
        """One record; its time goes on by some tenths of a second, and now and then by more than a session's gap."""
        with self._lock:
            self.sent[name] += 1
            self._number += 1
            at_ms = BEGIN_MS + self._number * 7 + self._chance.choice((0, 0, 300, -300))
            self._producer.produce(self.source, b"visit", name.encode(), timestamp=at_ms, on_delivery=delivered)

    def send_many(self, count: int) -> None:
        """Every key has one at least."""
        for number in range(count):
            self.send(key(number if number < KEYS else self._chance.randrange(KEYS)))
        self.flush()

    def send_one(self, name: str) -> Position:
        """Send a record, wait until the broker has it, and return the position that reflects it."""
        told: list[Position] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            assert error is None, error
            told.append(Position.after(self.source, message.partition() or 0, message.offset() or 0))

        self.send(name, delivered)
        deadline = time.monotonic() + _PATIENCE_S
        while not told:
            assert time.monotonic() < deadline, "the broker does not answer"
            self._producer.poll(0.1)
        return told[0]

    def flush(self) -> None:
        assert self._producer.flush(_PATIENCE_S) == 0

    @contextmanager
    def coming(self) -> Iterator[None]:
        """Records come all the while."""
        over = threading.Event()

        def send() -> None:
            while not over.wait(0.05):
                for _ in range(RATE // 20):
                    self.send(key(self._chance.randrange(KEYS)))
                self._producer.poll(0)

        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self.flush()

    def end(self) -> Position:
        """The position that reflects all of them."""
        ends = Topics(self.broker).end_offsets(self.source, committed=True)
        return Position({(self.source, partition): offset for partition, offset in ends.items() if offset})

    def recount(self) -> Recount:
        """What the stores have to hold, from what is in the topic."""
        return Recount.of(consume(self.broker, None, self.source))


@dataclass(frozen=True)
class Recount:
    """The stores as they have to be."""

    counts: Mapping[str, int]
    windows: Mapping[tuple[str, int], int]
    """By key and start."""
    sessions: Mapping[tuple[str, int, int], int]
    """By key, start and end."""

    @staticmethod
    def of(records: Iterator[ConsumedRecord]) -> Recount:
        times: defaultdict[str, list[int]] = defaultdict(list)
        for record in records:
            assert record.key is not None
            assert record.timestamp_ms is not None
            times[record.key.decode()].append(record.timestamp_ms)
        windows = Counter((name, at - at % WINDOW_MS) for name, those in times.items() for at in those)
        sessions: dict[tuple[str, int, int], int] = {}
        for name, those in times.items():
            start, last, count = min(those), min(those), 0
            for at in sorted(those):
                if at - last > GAP_MS:
                    sessions[name, start, last] = count
                    start, count = at, 0
                last, count = at, count + 1
            sessions[name, start, last] = count
        return Recount({name: len(those) for name, those in times.items()}, windows, sessions)


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    retry_after: str | None
    body: dict[str, Any]

    @property
    def position(self) -> Position:
        return Position.read(self.body["position"])


class Server:
    """`headrace query serve` in a process of its own."""

    def __init__(self, application: Application, app: str, place: Path, name: str) -> None:
        self.name, self._app = name, app
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        listen = ["--listen", f"127.0.0.1:{self.port}", "--directory", str(place / name)]
        command = [sys.executable, "-m", "headrace.cli.main", "query", "serve", str(application.file), *listen]
        self.program = Program(command, place / f"{name}.txt")

    def await_ready(self) -> None:
        """Wait until it answers."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                if Client(self, self._app).ask("/ready").status == 200:
                    return
            except OSError:
                pass
            assert self.program.process.poll() is None, self.program.said
            assert time.monotonic() < deadline, self.program.said
            time.sleep(0.1)

    def client(self) -> Client:
        """Somebody who asks it."""
        return Client(self, self._app)


class Client:
    """A connection to one server."""

    def __init__(self, server: Server, app: str) -> None:
        self._app = app
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE_S)

    def ask(self, path: str, **parameters: str) -> Answer:
        """One question; ConnectionError if the server has gone."""
        whole = f"{path}?{urlencode(parameters)}" if parameters else path
        try:
            response, body = self._asked(whole)
        except ConnectionError:  # one that was not used for long is closed by the server
            response, body = self._asked(whole)
        return Answer(response.status, response.getheader("Retry-After"), json.loads(body) if body else {})

    def _asked(self, path: str) -> tuple[http.client.HTTPResponse, bytes]:
        try:
            self._connection.request("GET", path)
            response = self._connection.getresponse()
            return response, response.read()
        except OSError:
            self._connection.close()
            raise

    def get(self, name: str, **parameters: str) -> Answer:
        """The count of a key."""
        return self.ask(f"/apps/{self._app}/stores/counts/keys/{quote(name)}", **parameters)

    def await_count(self, name: str, at_least: Position) -> int:
        """The count of a key at a position, once there is an answer."""
        deadline = time.monotonic() + _PATIENCE_S
        while (answer := self.get(name, at_least=str(at_least))).status != 200:
            assert answer.status in (503, 504), answer
            assert time.monotonic() < deadline, answer
        count: int = answer.body["value"]
        return count
