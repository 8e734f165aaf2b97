"""The examples on Spark, started in the ways there are: the tables that they write are the driver's.

Each is started in one of the ways, in turn; with HEADRACE_EVERYTHING each in all of them.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.model.clock import SetClock
from headrace.plan.nodes import To
from headrace.task.loop import Loop
from waiting import until

pytestmark = pytest.mark.spark

EXAMPLES = Path(__file__).parents[2] / "examples"
MINUTE = 60_000
DAY = 19_675 * 24 * 60 * MINUTE
"""Midnight of a day; the times of records are told from there."""

Sent = tuple[str, Any, Any, int]
"""A record: topic, key, value, time."""

WAYS: dict[str, Callable[[str], list[str]]] = {
    "headrace run file.py": lambda name: ["-m", "headrace.cli.main", "run", f"{name}.py"],
    "python file.py": lambda name: [f"{name}.py"],
    "headrace run module:app": lambda name: ["-m", "headrace.cli.main", "run", f"{name}:app"],
}


def orders_service(example: Any) -> Iterator[Sent]:
    yield from (("warehouse", "tea", 10, 0), ("warehouse", "gold", 9, 0))
    for number, (product, quantity, price) in enumerate([("tea", 8, 2.0), ("tea", 8, 2.0), ("gold", 1, 2_001.0)]):
        yield "customers", number, example.Customer(f"name {number}", "at@example.org", "gold"), 0
        order = example.Order(f"order {number}", number, product, quantity, price)
        yield "orders", order.id, order, 1_000 + number


def top_articles(example: Any) -> Iterator[Sent]:
    for article, views in [("a", 3), ("b", 1), ("c", 2), ("d", 4), ("e", 5), ("f", 2), ("/draft", 9)]:
        for user in range(views):
            yield "article-views", None, example.View(f"user {user}", article, "tea"), 1_000


def approximate_counts(_: Any) -> Iterator[Sent]:
    yield "texts", None, " ".join(f"word{number}" for number in range(300)), 0
    yield "texts", None, "Tea tea TEA", 0


def distinct_visitors(example: Any) -> Iterator[Sent]:
    for number in range(1_000):
        yield "visits", None, example.Visit("/", f"visitor {number % 300}"), 0
    yield "visits", None, example.Visit("/about", "ann"), 0


def user_sessions(example: Any) -> Iterator[Sent]:
    clicks = [(0, "ann", "/"), (10, "ann", "/tea"), (35, "ann", "/thanks"), (36, "bob", "/"), (120, "cleo", "/")]
    for minute, user, page in clicks:
        yield "clicks", None, example.Click(user, page), minute * MINUTE


def distinct_events(example: Any) -> Iterator[Sent]:
    for name, source, minute in [
        ("1", "web", 0),
        ("1", "web", 5),
        ("2", "batch", 6),
        ("3", "app", 12),
        ("4", "web", 1),
    ]:
        yield "events", "k", example.Event(name, source, "..."), minute * MINUTE


def anomalies(example: Any) -> Iterator[Sent]:
    for second, user in [(1, "ann"), (2, "bob"), (3, "ann"), (59, "ann"), (60, "bob"), (61, "bob"), (62, "ann")]:
        yield "user-clicks", None, example.Click(user, "10.0.0.1"), second * 1_000


def temperature(example: Any) -> Iterator[Sent]:
    readings = [(0, "oven", 20.0), (1, "oven", 41.5), (2, "oven", 30.0), (2, "hall", 19.0), (11, "hall", 19.0)]
    for minute, sensor, celsius in readings:
        yield "readings", None, example.Reading(sensor, celsius), minute * MINUTE


def order_enrichment(example: Any) -> Iterator[Sent]:
    yield "buyers", 1, example.Customer("Ann", "DE"), 0
    yield "buyers", 2, example.Customer("Bob", "FR"), 0
    yield "products", 7, example.Product("tea", 2.5), 0
    for number, customer in enumerate((1, 2, 3)):
        yield "sold", 100 + number, example.Order(customer, 7, 4), 1_000


def log_levels(_: Any) -> Iterator[Sent]:
    for line in ("shop [error] no tea", "shop [info] ready", "  at shop.py:7", "gate [ERROR] shut"):
        yield "log-lines", None, line, 0


def stock_levels(example: Any) -> Iterator[Sent]:
    for second, product, pieces in [(0, "tea", 10), (1, "tea", -7), (2, "milk", 6), (61, "milk", -8)]:
        yield "movements", None, example.Movement(product, pieces), second * 1_000


PROGRAMS = (
    orders_service,
    top_articles,
    approximate_counts,
    distinct_visitors,
    user_sessions,
    distinct_events,
    anomalies,
    temperature,
    order_enrichment,
    log_levels,
    stock_levels,
)
EVERYTHING = bool(os.environ.get("HEADRACE_EVERYTHING"))
STARTS = (
    [(one, way) for way in WAYS for one in PROGRAMS]
    if EVERYTHING
    else [(one, list(WAYS)[number % len(WAYS)]) for number, one in enumerate(PROGRAMS)]
)


@pytest.fixture(scope="module")
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], tuple[str, Path]]]:
    """A broker that the programs find by themselves, its address and its folder: one of a name, made when asked for."""
    with ExitStack() as started:

        @cache
        def named(name: str) -> tuple[str, Path]:
            embedded = EmbeddedBroker(folder := tmp_path_factory.mktemp(name))
            started.callback(embedded.stop)
            return started.enter_context(embedded.join()).address, folder

        yield named


@pytest.mark.parametrize(("sent", "way"), STARTS, ids=[f"{one.__name__}-{way}" for one, way in STARTS])
def test_an_example_writes_what_the_driver_says(
    own_broker: Callable[[str], tuple[str, Path]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sent: Callable[[Any], Iterator[Sent]],
    way: str,
) -> None:
    broker, folder = own_broker(f"broker-{list(WAYS).index(way)}" if EVERYTHING else "broker")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    example = importlib.import_module(sent.__name__)
    records = list(sent(example))
    expected = tables_of(example.app, records)
    for name in {topic for topic, *_ in records} | set(expected):
        Topics(broker).create(name, 1)
    send(broker, example.app, records)
    environment = {**os.environ, "HEADRACE_BROKER_DIR": str(folder), "HEADRACE_DATA_DIR": str(tmp_path)}
    command = [sys.executable, *WAYS[way](sent.__name__)]
    with (tmp_path / "console").open("w+") as console:
        running = subprocess.Popen(command, cwd=EXAMPLES, env=environment, stdout=console, stderr=console)
        try:
            until(
                lambda: running.poll() is not None or read(broker, example.app, expected) == expected,
                lambda: f"{read(broker, example.app, expected)}, not {expected}",
            )
        finally:
            running.send_signal(signal.SIGINT)
            ended = running.wait(60)
        console.seek(0)
        assert read(broker, example.app, expected) == expected, console.read()
        assert ended == 0


def tables_of(app: hr.App, records: list[Sent]) -> dict[str, dict[Any, Any]]:
    """The last value of each key of each topic, in the driver."""
    driver = hr.testing.TopologyTestDriver(app)
    for topic, key, value, ts in records:
        driver.input(topic).pipe(value, key=key, ts=DAY + ts)
    return {topic: dict(driver.output(topic).read_all()) for topic in driver.topics_written}


def send(broker: str, app: hr.App, records: list[Sent]) -> None:
    loop = Loop(app.plan(), SetClock())
    for topic, together in groupby(records, key=itemgetter(0)):
        source = loop.source_of(topic)
        produce(
            broker,
            None,
            topic,
            [
                NewRecord(key=source.key.encode(key), value=source.value.encode(value), timestamp_ms=DAY + ts)
                for _, key, value, ts in together
            ],
        )


def read(broker: str, app: hr.App, topics: dict[str, Any]) -> dict[str, dict[Any, Any]]:
    """The same on the broker."""
    return {topic: dict(decoded(broker, app, topic)) for topic in topics}


def decoded(broker: str, app: hr.App, topic: str) -> Iterator[tuple[Any, Any]]:
    plan = app.plan()
    named = [to for to in plan.of(To) if to.topic == topic] or [
        to for to in plan.of(To) if not isinstance(to.topic, str)
    ]
    key, value = named[0].read_with()
    for record in consume(broker, None, topic):
        yield key.decode(record.key), value.decode(record.value)
