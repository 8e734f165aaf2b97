"""The benchmark of queries accepts right answers only, and counts the time that a question had to wait."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bench.contenders import HEADRACE_QUERIES, STREAMS_QUERIES
from bench.queries.answers import Asker, parsed, quantile
from bench.queries.load import CONNECTIONS, Asking, Load, Loaded, loaded
from bench.queries.measure import Queries
from bench.queries.watchers import events, verify
from bench.report import report
from bench.suite import Results
from bench.workloads import WORKLOADS
from bench.workloads.base import SEED, Void, number_of

Counting = Callable[[int], tuple[int, str]]
"""Status and JSON by how often a key was asked for."""


@contextmanager
def server(answer: Counting) -> Iterator[int]:
    """Answers for every key; yields its port."""
    asked, lock = Counter[str](), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            with lock:
                asked[self.path] += 1
                status, text = answer(asked[self.path])
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    class Listening(ThreadingHTTPServer):
        request_queue_size = CONNECTIONS

        def handle_error(self, *_: object) -> None:
            """Who asks goes away without a word."""

    listening = Listening(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, args=[0.01])
    thread.start()
    try:
        yield listening.server_address[1]
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def asked_by(answer: Counting, rate: int) -> Loaded:
    with server(answer) as port:
        return Asking(Load(port=port, entries=2_000, rate=rate, seconds=0.5)).run()


def test_counts_that_grow_are_right() -> None:
    with server(lambda times: (200, f'{{"value":{times}}}')) as port:
        found = loaded(Load(port=port, entries=2_000, rate=200, seconds=0.5))
    assert found.answers == 100
    assert 0 < found.p50 <= found.p99 <= found.most


def test_as_many_as_it_can() -> None:
    found = asked_by(lambda times: (200, f'{{"value":{times}}}'), rate=0)
    assert found.answers > 32


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda times: (200, f'{{"value":{1_000 - times}}}'), "and then"),
        (lambda _: (404, '{"error":"absent"}'), "answered 404"),
        (lambda _: (503, "{}"), "answered 503"),
        (lambda _: (200, '{"value":"7"}'), "no count"),
        (lambda _: (200, '{"value":0}'), "no count"),
        (lambda _: (200, '{"value":null}'), "no count"),
    ],
)
def test_any_other_answer_is_void(answer: Counting, reason: str) -> None:
    with pytest.raises(Void, match=reason):
        asked_by(answer, rate=2_000)


def test_a_question_waits_from_its_time_in_the_schedule() -> None:
    # One answer at a time, 5 ms each: 200 are due within half a second, and the last is there after one.
    def slow(times: int) -> tuple[int, str]:
        time.sleep(0.005)
        return 200, f'{{"value":{times}}}'

    assert asked_by(slow, rate=400).most > 400


def test_what_is_void_is_told_across_processes() -> None:
    with server(lambda _: (404, "{}")) as port, pytest.raises(Void, match="answered 404"):
        loaded(Load(port=port, entries=2_000, rate=200, seconds=0.5))


def test_an_answer_is_read_when_it_is_all_there() -> None:
    text = b'HTTP/1.1 200 OK\r\nContent-length: 11\r\nX: y\r\n\r\n{"value":3}'
    assert all(parsed(text[:end]) is None for end in range(len(text)))
    answer = parsed(text)
    assert answer is not None
    assert (answer.status, answer.count) == (200, 3)
    with pytest.raises(Void, match="without a length"):
        parsed(b"HTTP/1.1 200 OK\r\n\r\n{}")


def test_one_asker_asks_again_and_again() -> None:
    with server(lambda times: (200, f'{{"value":{times}}}')) as port:
        asker = Asker(port)
        assert [asker.count(7) for _ in range(3)] == [1, 2, 3]
        asker.close()


def test_events_come_out_of_chunks_of_any_size() -> None:
    told = b"event: change\ndata: {}\n\n: still here\n\nevent: current\r\ndata:\r\n\r\n"

    async def read(size: int) -> list[bytes]:
        reading = asyncio.StreamReader()
        for at in range(0, len(told), size):
            piece = told[at : at + size]
            reading.feed_data(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        reading.feed_data(b"0\r\n\r\n")
        return [event async for event in events(reading)]

    wanted = [b"event: change\ndata: {}", b": still here", b"event: current\ndata:"]
    assert all(asyncio.run(read(size)) == wanted for size in range(1, len(told) + 1))


def test_a_watcher_has_to_be_told_every_change() -> None:
    changes = {0: [1, 3, 4, 9], 1: [1]}
    verify([[3, 4, 9], [1]], changes)
    for wrong in ([3, 9], [3, 4], [], [4, 3, 9], [1, 1, 3, 4, 9]):
        with pytest.raises(Void, match="the watcher of key 0"):
            verify([wrong, [1]], changes)


def test_the_store_has_every_key_once() -> None:
    keys = [number_of(one.key or b"") for one in WORKLOADS["queries"].records(5_000, random.Random(SEED))]
    assert sorted(keys) == list(range(5_000))


def test_quantiles_are_of_values_in_their_order() -> None:
    assert [quantile([1.0, 2.0, 3.0, 4.0], share) for share in (0.0, 0.5, 0.99, 1.0)] == [1.0, 3.0, 4.0, 4.0]


def test_figures_stand_beside_what_they_have_to_reach() -> None:
    ours = Queries(
        contender=HEADRACE_QUERIES.name,
        entries=2_000,
        gets=150_000.0,
        rest_p99=12.0,
        sustained=3_500,
        committed_p99=80.0,
        watchers=1_000,
        built=300_000,
        build_s=1.0,
    )
    peer = Queries(contender=STREAMS_QUERIES.name, gets=300_000.0, rest_p99=3.0, built=100_000, build_s=1.0)
    lines = report(Results(1_000, 10, 1, queries=[ours, peer])).splitlines()
    assert (
        "| gets in process, on one thread, a second | 150,000 | 300,000 | 0.50 | 100,000 or more | reached |" in lines
    )
    assert "| over HTTP at 5,000/s, p99 ms | 12.0 | 3.0 | 4.00 | 10.0 or less | missed |" in lines
    assert "| records/s when a replica is built | 300,000 | 100,000 | 3.00 | 200,000 or more | reached |" in lines
    assert any(line.startswith("| watchers at once") and line.endswith("| 1,000 or more | reached |") for line in lines)


def test_a_void_run_has_its_reason_and_no_figures() -> None:
    found = [Queries(contender=HEADRACE_QUERIES.name, note="void: key 1 went back")]
    lines = report(Results(1_000, 10, 1, queries=found)).splitlines()
    assert "|  | void: key 1 went back |  |  |  |  |" in lines
    assert "| gets in process, on one thread, a second |  |  |  | 100,000 or more | missed |" in lines
