"""Joins on columns: on="field", on=[...] and on=lambda, of streams and tables."""

from dataclasses import dataclass
from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled
from headrace.dsl import Builder, KStream, KTable

WITHIN = hr.join_windows("10ms", grace="5ms")


@dataclass(frozen=True)
class Order:
    sku: str | None
    region: str
    pieces: int = 1


@dataclass(frozen=True)
class Offer:
    sku: str | None
    area: str
    text: str


@dataclass(frozen=True)
class Place:
    region: str
    sku: str


PAIR = hr.json(tuple[str, str])


def orders(app: Builder) -> KStream[str, Order]:
    return app.stream("orders", key=hr.STRING, value=hr.json(Order))


def order_rows(app: Builder) -> KTable[str, Order]:
    return app.table("orders", key=hr.STRING, value=hr.json(Order))


def both(order: Any, price: Any) -> str:
    return f"{order and order.pieces}x{price}"


def three(*values: Any) -> str:
    return "/".join(f"{getattr(value, 'pieces', value)}" for value in values)


def streams(app: Builder) -> None:
    offers = app.stream("offers", key=hr.STRING, value=hr.json(Offer))
    joined = orders(app).left_join(
        offers, lambda order, offer: f"{order.pieces}x{offer and offer.text}", WITHIN, on=["sku", ("region", "area")]
    )
    joined.to("out", value=hr.STRING)


def streams_by_one(app: Builder) -> None:
    payments = app.stream("payments", key=hr.STRING, value=hr.json(Order))
    joined = orders(app).join(payments, lambda a, b: a.pieces + b.pieces, WITHIN, on="region")
    joined.to("out")


def streams_by_function(app: Builder) -> None:
    payments = app.stream("payments", key=hr.STRING, value=hr.json(Order))
    by = orders(app).join(
        payments, lambda k, a, b: k[0] + F.text(a.pieces + b.pieces), WITHIN, on=lambda o: (o.region, o.sku, o.pieces)
    )
    by.to("out")


def stream_and_table(app: Builder) -> None:
    prices = app.table("prices", key=PAIR, value=hr.INT64)
    orders(app).join(prices, lambda order, price: order.pieces * price, on=["sku", "region"]).to("out")


def stream_and_table_left(app: Builder) -> None:
    prices = app.table("prices", key=PAIR, value=hr.INT64)
    orders(app).left_join(prices, both, on=["sku", "region"]).to("out", value=hr.STRING)


def stream_and_records(app: Builder) -> None:
    prices = app.table("prices", key=hr.json(Place), value=hr.INT64)
    orders(app).join(prices, lambda order, price: order.pieces * price, on=["sku", "region"]).to("out")


def stream_and_global(app: Builder) -> None:
    prices = app.global_table("prices", key=PAIR, value=hr.INT64)
    orders(app).join(prices, lambda order, price: order.pieces * price, on=["sku", "region"]).to("out")


def foreign(app: Builder) -> None:
    prices = app.table("prices", key=PAIR, value=hr.INT64)
    order_rows(app).left_join(prices, both, on=["sku", "region"]).to_stream().to("out", value=hr.STRING)


def foreign_by_function(app: Builder) -> None:
    prices = app.table("prices", key=PAIR, value=hr.INT64)
    joined = order_rows(app).join(prices, lambda order, price: order.pieces * price, on=lambda _, v: (v.sku, v.region))
    joined.to_stream().to("out")


def made(app: Builder) -> None:
    prices = app.stream("prices", key=hr.STRING, value=hr.json(Order)).select_key(lambda _, v: (v.sku, v.region))
    table = prices.map_values(lambda v: v.pieces).to_table(store="prices")
    orders(app).join(table, lambda order, price: order.pieces * price, on=["sku", "region"]).to("out")


def with_itself(app: Builder) -> None:
    stream = orders(app)
    stream.join([stream, stream], three, WITHIN, on=["region", "region"]).to("out", value=hr.STRING)


def by_time(app: Builder) -> None:
    prices = app.table("prices", key=hr.INT64, value=hr.INT64)
    orders(app).join([prices, prices], three, on=[hr.timestamp, hr.timestamp + 1]).to("out", value=hr.STRING)


def untyped(app: Builder) -> None:
    left, right = (app.stream(topic, key=hr.STRING, value=hr.json()) for topic in ("left", "right"))
    left.join(right, lambda a, _: a["n"], WITHIN, on=["sku", "region"]).to("out")


CASES = [
    Case(
        "streams meet by several columns and have them for a key",
        streams,
        put("orders", ("1", Order("a", "eu", 2), 20), ("2", Order("a", "us", 3), 20), ("3", Order(None, "eu", 4), 21)),
        every("out", (None, "4xNone", 21)),
        put("offers", ("x", Offer("a", "eu", "cheap"), 25), ("y", Offer(None, "eu", "?"), 25)),
        every("out", (("a", "eu"), "2xcheap", 25)),
        put("offers", ("x", Offer("b", "eu", "?"), 90)),
        every("out", (("a", "us"), "3xNone", 20)),
    ),
    Case(
        "one column is a key of its own type",
        streams_by_one,
        put("orders", ("1", Order("a", "eu", 2), 20), ("2", Order("b", "us", 3), 20)),
        put("payments", ("9", Order("c", "eu", 5), 22)),
        every("out", ("eu", 7, 22)),
    ),
    Case(
        "a function finds a key of three columns on both sides",
        streams_by_function,
        put("orders", ("1", Order("a", "eu", 2), 20), ("2", Order("a", "eu", 3), 20)),
        put("payments", ("9", Order("a", "eu", 3), 22), ("9", Order(None, "eu", 3), 22)),
        every("out", (("eu", "a", 3), "eu6", 22)),
    ),
    Case(
        "a record finds its row by several columns",
        stream_and_table,
        put("prices", (("a", "eu"), 10), (("a", "us"), 20)),
        every("out"),
        put("orders", ("1", Order("a", "us", 2)), ("2", Order("b", "eu")), ("3", Order(None, "eu"))),
        every("out", (("a", "us"), 40)),
    ),
    Case(
        "a left join keeps records of which a column is missing",
        stream_and_table_left,
        put("prices", (("a", "eu"), 10)),
        every("out"),
        put("orders", ("1", Order("a", "eu", 2)), ("2", Order("b", "eu")), ("3", Order(None, "eu"))),
        every("out", (("a", "eu"), "2x10"), (("b", "eu"), "1xNone"), (None, "1xNone")),
    ),
    Case(
        "columns find a row whose key is a record of them",
        stream_and_records,
        put("prices", (Place("eu", "a"), 10), (Place("a", "eu"), 99)),
        every("out"),
        put("orders", ("1", Order("a", "eu", 2)), ("2", Order(None, "eu"))),
        every("out", (Place("eu", "a"), 20)),
    ),
    Case(
        "a global table is looked up by columns and the stream keeps its keys",
        stream_and_global,
        put("prices", (("a", "eu"), 10)),
        every("out"),
        put("orders", ("1", Order("a", "eu", 2)), ("2", Order("b", "eu"))),
        every("out", ("1", 20)),
    ),
    Case(
        "rows of a table find those of another by columns",
        foreign,
        put("orders", ("1", Order("a", "eu", 2), 10), ("2", Order(None, "eu"), 20)),
        every("out", ("1", "2xNone", 10), ("2", "1xNone", 20)),
        put("prices", (("a", "eu"), 7, 30)),
        every("out", ("1", "2x7", 30)),
        put("orders", ("2", Order("a", "eu", 3), 40)),
        every("out", ("2", "3x7", 40)),
        put("prices", (("a", "eu"), None, 50)),
        every("out", ("1", "2xNone", 50), ("2", "3xNone", 50)),
    ),
    Case(
        "a function finds a foreign key of two columns",
        foreign_by_function,
        put("prices", (("a", "eu"), 7), (("a", "us"), 8)),
        every("out"),
        put("orders", ("1", Order("a", "eu", 2)), ("2", Order("a", "us")), ("3", Order(None, "us"))),
        settled("out", {"1": 14, "2": 8}),
        put("orders", ("1", Order("a", "us", 2))),
        settled("out", {"1": 16, "2": 8}),
    ),
    Case(
        "a table by columns is made of a stream",
        made,
        put("prices", ("x", Order("a", "eu", 7))),
        every("out"),
        put("orders", ("1", Order("a", "eu", 2))),
        every("out", (("a", "eu"), 14)),
    ),
    Case(
        "a stream meets itself by a column",
        with_itself,
        put("orders", ("1", Order("a", "eu", 2), 20), ("2", Order("a", "us", 3), 20)),
        every("out", ("eu", "2/2/2", 20), ("us", "3/3/3", 20)),
    ),
    Case(
        "rows found by the time of a record",
        by_time,
        put("prices", (5, 50, 1), (6, 60, 1)),
        every("out"),
        put("orders", ("1", Order("a", "eu", 2), 5)),
        every("out", (6, "2/50/60", 5)),
    ),
    Case(
        "columns of untyped records",
        untyped,
        put("left", ("1", {"sku": "a", "region": 1, "n": 5}, 20), ("2", {"sku": "a", "n": 6}, 20)),
        put("right", ("1", {"sku": "a", "region": 1}, 20), ("2", {"sku": "a"}, 20)),
        every("out", (("a", 1), 5)),
    ),
]
