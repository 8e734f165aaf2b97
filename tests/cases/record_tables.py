"""Records, untyped JSON and windowed keys in tables: as aggregates, rows and keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled
from headrace.dsl import Builder
from headrace.model.windows import Windowed

WINDOW = hr.time_windowed(hr.STRING, "10s")
SESSION = hr.session_windowed(hr.STRING)


class Kind(Enum):
    IN = 1
    OUT = -1


@dataclass(frozen=True)
class Payment:
    account: str
    kind: Kind
    amount: Decimal
    at: datetime | None = None
    tags: list[str] = field(default_factory=list)
    more: dict[str, float] = field(default_factory=dict)
    note: Any = None


@dataclass(frozen=True)
class Stats:
    count: int
    total: Decimal
    last: Payment | None = None


@dataclass(frozen=True)
class Place:
    country: str
    parts: dict[str, int]


FIRST = Payment("a", Kind.IN, Decimal("1.50"), datetime(2024, 5, 31, tzinfo=UTC), ["x"], {"b": 1.0, "a": 0.5}, [1, "n"])
SECOND = Payment("a", Kind.OUT, Decimal("0.25"), note={"z": 1, "b": [True]})


def added(_: str, payment: Payment, stats: Stats) -> Stats:
    return Stats(count=stats.count + 1, total=stats.total + payment.amount, last=payment)


def aggregated(app: Builder) -> None:
    payments = app.stream("in", key=hr.STRING, value=hr.json(Payment)).group_by(lambda _, v: v.account)
    payments.aggregate(lambda: Stats(0, Decimal(0)), added, store="stats").to_stream().to("out")


def reduced(app: Builder) -> None:
    payments = app.stream("in", key=hr.STRING, value=hr.json(Payment)).group_by_key()
    payments.reduce(lambda a, b: hr.when(a.amount > b.amount, a).otherwise(b), store="most").to_stream().to("out")


def joined(app: Builder) -> None:
    left = app.table("in", key=hr.STRING, value=hr.json(Payment))
    right = app.table("names", key=hr.STRING, value=hr.json())
    left.left_join(right, lambda v, name: {"who": name, "what": v}).to_stream().to("out")


def by_place(app: Builder) -> None:
    app.table("in", key=hr.json(Place), value=hr.INT64).filter(lambda k, v: k.parts["x"] < v).to_stream().to("out")


def by_anything(app: Builder) -> None:
    events = app.stream("in", value=hr.json()).group_by(lambda _, event: event["id"])
    events.count(store="n").to_stream().to("out")


def windowed_rows(app: Builder) -> None:
    table = app.table("in", key=WINDOW, value=hr.INT64)
    table.map_values(lambda k, v: k.key + F.text(k.end - k.start + v)).to_stream().to("out")


def windowed_parts(app: Builder) -> None:
    sessions = app.stream("in", key=SESSION, value=hr.INT64)
    sessions.map(lambda k, v: (k.key, [k.start, k.end, F.if_null(v, 0)])).to("out", value=hr.json())


def windowed_groups(app: Builder) -> None:
    app.stream("in", key=SESSION, value=hr.STRING).group_by_key().count(store="n").to_stream().to("out")


CASES = [
    Case(
        "records are folded into a record",
        aggregated,
        put("in", ("x", FIRST), ("y", SECOND)),
        settled("out", {"a": Stats(2, Decimal("1.75"), SECOND)}),
        put("in", ("x", FIRST)),
        settled("out", {"a": Stats(3, Decimal("3.25"), FIRST)}),
    ),
    Case(
        "records are reduced to one of them",
        reduced,
        put("in", ("k", FIRST), ("k", SECOND), ("l", SECOND)),
        settled("out", {"k": FIRST, "l": SECOND}),
    ),
    Case(
        "rows of records meet rows of anything",
        joined,
        put("names", ("k", {"b": 1, "a": [None, 2.5]})),
        put("in", ("k", FIRST), ("l", SECOND)),
        settled("out", {"k": {"who": {"b": 1, "a": [None, 2.5]}, "what": FIRST}, "l": {"who": None, "what": SECOND}}),
    ),
    Case(
        "a record with a dict is a key however the dict is written",
        by_place,
        put("in", (Place("de", {"x": 1, "y": 2}), 5)),
        every("out", (Place("de", {"x": 1, "y": 2}), 5)),
        put("in", (Place("de", {"y": 2, "x": 1}), 1)),
        every("out", (Place("de", {"x": 1, "y": 2}), None)),
    ),
    Case(
        "anything is a key",
        by_anything,
        put("in", (None, {"id": {"b": 1, "a": 2}})),
        every("out", ({"a": 2, "b": 1}, 1)),
        put("in", (None, {"id": {"a": 2, "b": 1}})),
        every("out", ({"a": 2, "b": 1}, 2)),
    ),
    Case(
        "a windowed key is read from a topic and written to another",
        windowed_rows,
        put("in", (Windowed("a", 0, 10_000), 1), (Windowed("a", 10_000, 20_000), 2), (Windowed("a", 0, 10_000), 3)),
        settled("out", {Windowed("a", 0, 10_000): "a10003", Windowed("a", 10_000, 20_000): "a10002"}),
    ),
    Case(
        "the parts of a windowed key",
        windowed_parts,
        put("in", (Windowed("a", 5, 9), 1), (Windowed("b", 7, 7), None)),
        every("out", ("a", [5, 9, 1]), ("b", [7, 7, 0])),
    ),
    Case(
        "records are counted by windowed keys",
        windowed_groups,
        put("in", (Windowed("a", 5, 9), "x"), (Windowed("a", 5, 10), "y"), (Windowed("a", 5, 9), "z")),
        settled("out", {Windowed("a", 5, 9): 2, Windowed("a", 5, 10): 1}),
    ),
]
