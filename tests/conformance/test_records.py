"""Expressions on records and windowed keys mean the same in both forms, and what they give is written alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headrace as hr
import headrace.functions as F
from conformance.both_forms import Form, all_differing
from conformance.json_samples import ORDER, SALE, Booking, Click, Level, Line, Money, Order, Size, Tables, drawn
from headrace.expr import bind, trace
from headrace.expr.sql import converted
from headrace.model.types import BYTES
from headrace.serde import Serde
from headrace.spark.compile.sql import decode, encode, shown

pytestmark = pytest.mark.spark

ORDERS, MONEY, CLICKS, SALES, ANY = hr.json(Order), hr.json(Money), hr.json(Click), hr.json(SALE), hr.json()
BOOKINGS, TABLES = hr.json(Booking), hr.json(Tables)

FUNCTIONS: dict[Serde[Any], list[Callable[[Any], Any]]] = {
    ORDERS: [
        lambda o: o.customer.upper() + F.text(o.amount),
        lambda o: o.first.product,
        lambda o: F.if_null(o.ratio, 2) * 2,
        lambda o: o.size == Size.LARGE,
        lambda o: o.first == o.lines[0],
        lambda o: o.lines == [Line(product="é", price=3, tags=["a", "b"]), Line(product="x", price=1, tags=[])],
        lambda o: o.lines[-1].tags + o.first.tags,
        lambda o: o.counts["a"],
        lambda o: o.counts.get("b", 5),
        lambda o: o.counts.keys(),
        lambda o: o.click["page"],
        lambda o: o.extra["z"][1],
        lambda o: o.extra["a"] == {"b": "c"},
        lambda o: {"who": o.customer, "at": o.at, "lines": o.lines, "n": {"deep": o.ratio}},
        lambda o: Line(product=o.customer, price=o.amount, tags=o.lines[0].tags[:1]),
        lambda o: [Line(product=o.customer), o.first],
        lambda o: hr.when(o.paid, o.first).otherwise(o.lines[0]),
        lambda o: (o.customer, o.size, o.lines),
        lambda o: F.contains(o.lines, o.first),
    ],
    MONEY: [
        lambda m: m.amount * 3 - m.amount,
        lambda m: {"sum": m.amount + F.decimal(1), "note": m.note},
        lambda m: Money(amount=-m.amount, rate=m.rate, note={"was": [m.rate, m.note]}),
    ],
    CLICKS: [
        lambda c: c["page"],
        lambda c: {"user": c["user"]},
    ],
    BOOKINGS: [
        lambda b: (b.day, b.day.year, b.day.isoformat(), b.day.weekday(), b.day < date(2024, 6, 1)),
        lambda b: (b.at, b.at.hour, b.at.microsecond, b.at.isoformat(), b.at == time(12, 30, 0, 500_000)),
        lambda b: (b.seats, b.seats + 1, b.seats * 0.5, -b.seats, b.seats == 3, F.text(b.seats)),
        lambda b: (b.price, b.price * 3, b.price + b.seats, b.price == Decimal("1.50"), F.text(b.price)),
        lambda b: F.if_null(b.share, b.price) - 1,
        lambda b: b.ready,
        lambda b: b.more + b.more[:1],
        lambda b: F.contains(b.more, b.seats + 4),
        lambda b: {"day": b.day, "at": b.at, "seats": b.seats, "price": b.price, "more": b.more},
        lambda b: Booking(b.day, b.at, seats=b.seats * 2, price=b.price * 2, more=b.more),
        lambda b: Booking(b.day, b.at, seats=5, price=Decimal("0.1"), share=b.price, more=b.more),
        lambda b: dataclasses.replace(b, day=date(2024, 1, 1), at=time(1), ready=None),
        lambda b: b == b,
        lambda b: f"{b.day} {b.at} {b.price}",
    ],
    TABLES: [
        lambda t: t.by_int[9],
        lambda t: t.by_int.get(1, 0.5),
        lambda t: t.by_int.keys(),
        lambda t: F.contains(t.by_float, 0.0),
        lambda t: t.by_day[date(2024, 5, 31)],
        lambda t: (t.by_small.get(0), t.by_small.get(2**40), F.contains(t.by_small, 2**31 - 1)),
        lambda t: (t.by_price.get(Decimal("1.5")), t.by_price.get(Decimal("1.505")), t.by_price[Decimal(7)]),
        lambda t: t.by_both.get((1, "a")),
        lambda t: t.by_size[Size.SMALL] + t.by_level[Level.LOW],
        lambda t: (t.by_int == t.by_int, t.by_float == t.by_float, t.by_both == t.by_both, t.by_bytes == t.by_bytes),
        lambda t: {"all": t, "ints": t.by_int, "both": t.by_both},
        lambda t: F.length(t.by_small),
        lambda t: f"{t.by_small} {t.by_moment} {t.by_price} {t.by_both}",
    ],
    SALES: [
        lambda s: s["customer"].upper(),
        lambda s: F.if_null(s["unit price"], 0.5) * 2,
        lambda s: (s["note"], s["first"]["user"]),
        lambda s: s["lines"][0].product,
        lambda s: {"customer": s["customer"], "lines": s["lines"], "all": s},
        lambda s: s == s,
    ],
    ANY: [
        lambda a: F.as_int(a["amount"]) + 1,
        lambda a: {"c": a.get("customer"), "all": a},
        lambda a: F.length(a),
        lambda a: F.as_list(a["lines"]),
    ],
}


@pytest.mark.parametrize("serde", FUNCTIONS, ids=str)
def test_functions_of_records(serde: Serde[Any], spark: SparkSession) -> None:
    data = [ANY.encode(ORDER), *drawn(3, 150)]
    forms = [form for function in FUNCTIONS[serde] for form in both_ways(serde, function)]
    assert all_differing(spark, forms, BYTES, [one for one in data if is_read(serde, one)]) == []


def both_ways(serde: Serde[Any], function: Callable[[Any], Any]) -> list[Form]:
    """A function of records, its result once printed and once written."""
    bound = bind(trace(function, ("value",), "here"), {"value": serde.type}, "here")
    python, writes = bound.python(), ANY.for_type(bound.type)
    assert writes is not None
    sql = bound.sql({"value": decode(serde, "a0")})
    return [
        (lambda one: str(python({"value": serde.decode(one)})), shown(bound.type, sql)),
        (
            lambda one: writes.encode(python({"value": serde.decode(one)})),
            encode(writes, converted(sql, bound.type, writes.type)),
        ),
    ]


def is_read(serde: Serde[Any], data: bytes | None) -> bool:
    try:
        return serde.decode(data) is not None
    except ValueError:
        return False


WINDOWED: list[Serde[Any]] = [
    hr.time_windowed(hr.STRING, "10s"),
    hr.time_windowed(hr.json(Line), "1m"),
    hr.session_windowed(hr.INT64),
    hr.session_windowed(hr.json(tuple[str, int])),
]
TIMES = [bytes(8), b"\x00" * 7 + b"\x01", b"\xff" * 8, bytes(15) + b"\x05", b"\x01" * 7, b""]
KEYS = [b"", b"ann", b"\xff", b"\x00" * 8, b'["a",1]', b'["a"]', b'{"product":"x"}', b'{"product": 1}']


@pytest.mark.parametrize("serde", WINDOWED, ids=lambda serde: serde.name)
def test_windowed_keys(serde: Serde[Any], spark: SparkSession) -> None:
    data = [None, *(key + times for key in KEYS for times in TIMES)]
    read = decode(serde, "a0")
    bound = bind(trace(lambda k: (k.key, k.end - k.start), ("key",), "here"), {"key": serde.type}, "here")
    python = bound.python()
    forms: list[Form] = [
        (lambda one: str(serde.decode(one)), shown(serde.type, read)),
        (lambda one: serde.encode(serde.decode(one)), encode(serde, read)),
        (lambda one: str(python({"key": serde.decode(one)})), shown(bound.type, bound.sql({"key": read}))),
    ]
    assert all_differing(spark, forms, BYTES, data) == []
