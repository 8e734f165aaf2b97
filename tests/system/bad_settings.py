"""The applications that bad records are sent to, one for each kind of them."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import headrace as hr
import headrace.functions as F
from system.bad_records import NOON, Name, Setting, double, int64


def _with_letters(_: str, text: str, letters: int) -> Any:
    return letters + F.length(text)


def _texts(app: hr.App, topic: Name) -> None:
    texts = app.stream(topic("in"), key=hr.STRING, value=hr.STRING)
    grouped = texts.filter(lambda _, text: text != "copy").group_by_key()
    letters: hr.KTable[str, int] = grouped.aggregate(lambda: 0, _with_letters, store="letters")
    letters.to_stream().to(topic("out"))
    texts.filter(lambda _, text: text == "copy").to(topic("copies"))


TEXTS = Setting("texts", _texts, b"good", lambda n: (("out", int64(4 * n)),), outputs=("out", "copies"))


@dataclass(frozen=True)
class Price:
    """What typed JSON is read as."""

    pieces: int
    price: Decimal


def _documents(app: hr.App, topic: Name) -> None:
    app.stream(topic("in"), key=hr.STRING, value=hr.json()).filter(lambda _, value: value != "").to(topic("out"))
    prices = app.stream(topic("prices"), key=hr.STRING, value=hr.json(Price))
    prices.map_values(lambda one: one.price * one.price, name="square").to(topic("squares"))


DOCUMENTS = Setting(
    "documents",
    _documents,
    b'{"a":1}',
    lambda _: (("out", b'{"a":1}'),),
    inputs=("in", "prices"),
    outputs=("out", "squares"),
)


def _numbers(app: hr.App, topic: Name) -> None:
    numbers = app.stream(topic("in"), key=hr.DOUBLE, value=hr.INT64)
    numbers.group_by_key().reduce(lambda a, b: a + b, store="sum").to_stream().to(topic("sums"))
    numbers.map_values(lambda value: 100 // value, name="share").to(topic("shares"))


NUMBERS = Setting(
    "numbers",
    _numbers,
    int64(1),
    lambda n: (("sums", int64(n)), ("shares", int64(100))),
    key=lambda partition: double(1000.5 + partition),
    outputs=("sums", "shares"),
)


def _with_row(text: str, row: str | None) -> Any:
    return text + "+" + F.coalesce(row, "none")


def _joins(app: hr.App, topic: Name) -> None:
    stream = app.stream(topic("in"), key=hr.STRING, value=hr.STRING)
    left, right = (app.table(topic(side), key=hr.STRING, value=hr.STRING, store=side) for side in ("left", "right"))
    joined = stream.left_join(left, _with_row, name="joined")
    joined.to(topic("out"))
    left.join(right, lambda a, b: a + b).to_stream().to(topic("both"))


JOINS = Setting(
    "joins",
    _joins,
    b"good",
    lambda _: (("out", b"good+none"),),
    inputs=("in", "left", "right"),
    outputs=("out", "both"),
)


def _windows(app: hr.App, topic: Name) -> None:
    stream = app.stream(topic("in"), key=hr.STRING, value=hr.STRING, timestamp="skip", name="times")
    counts = stream.group_by_key().windowed_by(hr.tumbling("10s", grace="5s")).count(store="per-window")
    counts.to_stream().to(topic("out"))


WINDOWS = Setting(
    "windows",
    _windows,
    b"good",
    lambda n: (("out", int64(n)),),
    key=lambda partition: b"good-%d" % partition,
    suffix=int64(NOON),
    partitions=8,
    calm=(7,),
)


def _unruly(text: str) -> str | None:
    """What a user's function may do to the process it runs in."""
    if text == "raise":
        raise KeyError(text)
    if text == "loop":
        while True:
            pass
    if text == "none":
        return None
    if text == "exit":
        os._exit(3)
    if text == "sys.exit":
        sys.exit("enough")
    if text == "recursion":
        return _unruly(text)
    if text == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "fork":
        os.fork()
    if text == "print":
        os.write(1, b"\xff\0\n")
        print("\0\N{SNOWMAN}\udcff")
    return text.upper()


def _python(app: hr.App, topic: Name) -> None:
    app.stream(topic("in"), key=hr.STRING, value=hr.STRING).map_values(_unruly, name="unruly").to(topic("out"))


PYTHON = Setting("python", _python, b"good", lambda _: (("out", b"GOOD"),), options={"worker_timeout": "15s"})

SEEN = hr.stores.key_value("seen", key=hr.STRING, value=hr.INT64)


class _Counting(hr.Processor[str, int]):
    """Counts the records of a key and sends on the count; fails behind that, or sends on something else."""

    def process(self, record: hr.Record) -> None:
        seen = self.context.store(SEEN)
        seen.put(record.key, (seen.get(record.key) or 0) + 1)
        self.context.forward(record.with_value("many" if record.value == "type" else seen.get(record.key)))
        if record.value == "process":
            raise LookupError(record.value)


def _failing_on(word: str, _: str, text: str) -> None:
    if text == word:
        raise LookupError(word)


def _topic_of(topic: str, _: str, text: str) -> str:
    _failing_on("topic", _, text)
    return topic


def _partition_of(_: str, text: str, partitions: int) -> int:
    return partitions if "".join([*text]) == "partition" else 0


def _code(app: hr.App, topic: Name) -> None:
    stream = app.stream(topic("in"), key=hr.STRING, value=hr.STRING)
    stream.foreach(partial(_failing_on, "foreach"), name="foreach")
    stream.process(_Counting, stores=[SEEN], name="counting").to(topic("counts"), name="to-counts")
    looked = stream.peek(partial(_failing_on, "peek"), name="peek")
    looked.to(partial(_topic_of, topic("out")), name="to-any")
    moved = looked.repartition(2, partitioner=_partition_of, name="moved")
    moved.to(topic("numbers"), partitioner=lambda _, text, n: 10 // F.length(text) % n, name="to-numbers")


CODE = Setting(
    "code",
    _code,
    b"good",
    lambda n: (("counts", int64(n)), ("out", b"good"), ("numbers", b"good")),
    outputs=("counts", "out", "numbers"),
)

MOST = 10_000
"""What a record may have in the topic `small`, in bytes; in the one of dead letters it is twice as much."""


def _outputs(app: hr.App, topic: Name) -> None:
    stream = app.stream(topic("in"), key=hr.STRING, value=hr.BYTES)
    stream.to(partial(_target, topic("small"), topic("recent")))


def _target(small: str, recent: str, key: str, _: bytes) -> str:
    """Where a record goes: to a topic that its key stands for, or that it names."""
    if key.startswith("recent"):
        return recent
    return small if key.startswith(("good", "small")) else key


OUTPUTS = Setting(
    "outputs",
    _outputs,
    b"good",
    lambda _: (("small", b"good"),),
    outputs=("small", "recent"),
    topics={
        "small": {"max.message.bytes": str(MOST)},
        "recent": {"message.timestamp.after.max.ms": "3600000"},
        "letters": {"max.message.bytes": str(2 * MOST), "message.timestamp.after.max.ms": "3600000"},
    },
)
