"""map_values with functions that wait."""

import asyncio
from functools import partial
from typing import Any

import headrace as hr
from cases.table import Case, clock, every, put, settled, texts
from headrace.dsl import Builder

H = (("h", b"1"),)


async def loud(value: str) -> str:
    """The shorter the text, the longer it takes."""
    await asyncio.sleep(0.01 / (1 + len(value or "")))
    return value and value.upper()


async def with_key(key: str, value: str) -> str:
    await asyncio.sleep(0)
    return f"{key}:{value}"


async def inverse(value: str) -> int:
    await asyncio.sleep(0.001 * len(value))
    return 100 // int(value)


async def number(value: str, base: int) -> int:
    await asyncio.sleep(0)
    return int(value, base)


class Suffix:
    def __init__(self, suffix: str) -> None:
        self._suffix = suffix

    async def __call__(self, value: str) -> str:
        return value + self._suffix


async def patient(value: str) -> str:
    await asyncio.sleep({"slow": 1, "quick": 0}[value])
    return value


def failing(app: Builder) -> None:
    numbers = texts(app).map_values(inverse, concurrency=2)
    numbers.to("out")
    numbers.errors().map_values(lambda f: f.node + ": " + f.error + " " + f.message).to("failed")


def too_slow(app: Builder) -> None:
    answers = texts(app).map_values(patient, timeout="20ms", retries=1, backoff="1ms")
    answers.to("out")
    answers.errors().map_values(lambda f: f.error + ": " + f.message).to("failed")


def counted(app: Builder) -> None:
    """A table that settles sends its changes in the batch of the records, though they come at the end of it."""
    spoken = texts(app).map_values(loud, concurrency=1)
    spoken.group_by(lambda _, v: v).count(store="n").to_stream().to("out")
    spoken.group_by_key().aggregate("", lambda _, v, all_: all_ + v, store="said").to_stream().to("said")


def twice(app: Builder) -> None:
    texts(app).map_values(loud).map_values(Suffix("!")).merge(texts(app, "other").map_values(loud)).to("out")


def many(app: Builder) -> None:
    texts(app).map_values(partial(number, base=16), concurrency=1).map_values(lambda n: n + 1).to("out")


def windowed(app: Builder) -> None:
    windows = texts(app).map_values(loud).group_by_key().windowed_by(hr.tumbling("10ms"))
    counts: Any = windows.emit_strategy(hr.on_window_close()).count(store="n")
    counts.to_stream(lambda window, _: window.key).to("out")


def idle(app: Builder) -> None:
    prices = app.versioned_table("prices", key=hr.STRING, value=hr.STRING, history="1h")
    pairs = texts(app, "left").join(texts(app, "right"), lambda a, b: a + b, hr.join_windows("10ms", idle_after="30s"))
    pairs.map_values(loud).join(prices, lambda pair, price: pair + " at " + price, grace="10ms").to("out")


def lasting(app: Builder) -> None:
    """A task that takes only what comes out of the calls has its time by that."""
    spoken = texts(app).map_values(loud).repartition()
    spoken.group_by_key().count(store="n", ttl="10ms", emit="every").to_stream().to("out")


CASES = [
    Case(
        "functions that wait give their values in the order of the records with keys times and headers",
        lambda app: texts(app).map_values(loud).to("out"),
        put("in", ("a", "x", 5, H), ("b", "yyyyyy", 3), ("a", "", 4), (None, "zz", 2), ("a", None, 1)),
        every("out", ("a", "X", 5, H), ("b", "YYYYYY", 3), ("a", "", 4), (None, "ZZ", 2), ("a", None, 1)),
        put("in", ("a", "x")),
        every("out", ("a", "X")),
        put("in"),
        every("out"),
    ),
    Case(
        "functions that wait may take the key",
        lambda app: texts(app).map_values(with_key, concurrency=1).to("out"),
        put("in", ("a", "x"), ("b", "y")),
        every("out", ("a", "a:x"), ("b", "b:y")),
    ),
    Case(
        "more records than are gathered at once",
        many,
        put("in", *(("k", f"{n:x}", n) for n in range(40))),
        every("out", *(("k", n + 1, n) for n in range(40))),
    ),
    Case(
        "a table behind functions that wait settles in the same batch",
        counted,
        put("in", ("a", "x"), ("b", "x"), ("a", "yy")),
        every("out", ("X", 2), ("YY", 1)),
        settled("said", {"a": "XYY", "b": "X"}),
        put("in", ("b", "x")),
        every("out", ("X", 3)),
        settled("said", {"a": "XYY", "b": "XX"}),
    ),
    Case(
        "one function that waits behind another",
        twice,
        put("in", ("a", "x"), ("b", "yyyy")),
        every("out", ("a", "X!"), ("b", "YYYY!")),
        put("other", ("c", "z")),
        every("out", ("c", "Z")),
    ),
    Case(
        "windows behind functions that wait close by the times of the records",
        windowed,
        put("in", ("a", "x", 1), ("a", "yy", 9), ("b", "z", 10), ("a", "late", 2)),
        every("out", ("a", 2)),
    ),
    Case(
        "time that follows the clock does not stop at functions that wait",
        idle,
        put("prices", ("a", "3", 1)),
        put("left", ("a", "x", 5)),
        put("right", ("a", "y", 6)),
        every("out"),
        clock("30s"),
        every("out", ("a", "XY at 3", 6)),
    ),
    Case(
        "rows behind a repartition grow old by the records that come out of calls",
        lasting,
        put("in", ("a", "x", 1), ("b", "y", 5), ("a", "z", 50)),
        every("out", ("a", 1, 1), ("b", 1, 5), ("a", None, 11), ("b", None, 15), ("a", 1, 50)),
    ),
    Case(
        "records that functions fail on while they wait go beside and the others go on in order",
        failing,
        put("in", ("a", "5", 1), ("b", "0", 2, H), ("c", "004", 3), ("d", "x", 4), ("e", "1", 5)),
        every("out", ("a", 20, 1), ("c", 25, 3), ("e", 100, 5)),
        every(
            "failed",
            ("b", "in.map_values: ZeroDivisionError integer division or modulo by zero", 2, H),
            ("d", "in.map_values: ValueError invalid literal for int() with base 10: 'x'", 4),
        ),
    ),
    Case(
        "calls that take too long are tried again and then fail",
        too_slow,
        put("in", ("a", "slow", 1), ("b", "quick", 2)),
        every("out", ("b", "quick", 2)),
        every("failed", ("a", "TimeoutError: took longer than 20ms, 2 times", 1)),
    ),
]
