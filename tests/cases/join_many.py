"""Joins of more than two in one call."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled, texts
from cases.tables import rows
from headrace.dsl import Builder

WITHIN = hr.join_windows("10ms", grace="5ms")


def shown(first: Any, *others: Any) -> Any:
    text = F.coalesce(first, "-")
    for value in others:
        text = text + "+" + F.coalesce(value, "-")
    return text


def three(a: Any, b: Any, c: Any) -> Any:
    return shown(a, b, c)


def streams(app: Builder) -> None:
    others = [texts(app, "b"), texts(app, "c")]
    texts(app, "a").join(others, lambda a, b, c: a + b + c, WITHIN).to("out")


def streams_with_key(app: Builder) -> None:
    others = [texts(app, "b"), texts(app, "c"), texts(app, "d")]
    texts(app, "a").join(others, lambda k, a, b, c, d: k + a + b + c + d, WITHIN, store="kept").to("out")


def streams_left(app: Builder) -> None:
    texts(app, "a").left_join([texts(app, "b"), texts(app, "c")], three, WITHIN).to("out", value=hr.STRING)


def streams_outer(app: Builder) -> None:
    texts(app, "a").outer_join([texts(app, "b"), texts(app, "c")], three, WITHIN).to("out", value=hr.STRING)


def thrice(app: Builder) -> None:
    stream = texts(app, "a")
    stream.join([stream, stream], lambda a, b, c: a + b + c, WITHIN).to("out")


def tables(app: Builder) -> None:
    rows(app, "a").join([rows(app, "b"), rows(app, "c")], lambda a, b, c: a + b + c).to_stream().to("out")


def tables_left(app: Builder) -> None:
    joined = rows(app, "a").left_join([rows(app, "b"), rows(app, "c")], three, store="joined", emit="every")
    joined.to_stream().to("out", value=hr.STRING)


def tables_outer(app: Builder) -> None:
    joined = rows(app, "a").outer_join([rows(app, "b"), rows(app, "c")], three)
    joined.to_stream().to("out", value=hr.STRING)


def tables_by_foreign_keys(app: Builder) -> None:
    users, products, notes = rows(app, "users"), rows(app, "products"), rows(app, "notes")
    joined = rows(app, "orders").join(
        [users, products, notes],
        lambda order, user, product, note: F.concat(order, user, product, note),
        on=[lambda order: order[:1], lambda _, order: order[1:2], None],
    )
    joined.to_stream().to("out")


def stream_and_tables(app: Builder) -> None:
    users, products = rows(app, "users"), app.global_table("products", key=hr.STRING, value=hr.STRING)
    texts(app, "orders").join([users, products], three, on=[None, lambda order: order[:1]]).to("out", value=hr.STRING)


def stream_and_rekeyed_tables(app: Builder) -> None:
    joined = texts(app, "orders").left_join(
        [rows(app, "users"), rows(app, "products")], three, on=[lambda o: o[:1], lambda o: o[1:]]
    )
    joined.to("out", value=hr.STRING)


def stream_and_both(app: Builder) -> None:
    texts(app, "a").join([texts(app, "b"), rows(app, "c")], lambda a, b, c: a + b + c, WITHIN).to("out")


CASES = [
    Case(
        "three streams meet in one call",
        streams,
        put("a", ("k", "a", 20)),
        every("out"),
        put("c", ("k", "c", 21), ("j", "x", 21)),
        every("out"),
        put("b", ("k", "b", 25), ("k", "B", 26)),
        every("out", ("k", "abc", 25), ("k", "aBc", 26)),
    ),
    Case(
        "the time of what has met so far is what the next one is measured by",
        streams,
        put("a", ("k", "a", 20)),
        put("b", ("k", "b", 30)),
        put("c", ("k", "c", 40), ("k", "C", 41)),
        every("out", ("k", "abc", 40)),
    ),
    Case(
        "four streams and their key",
        streams_with_key,
        put("a", ("k", "a", 20)),
        put("b", ("k", "b", 21)),
        put("c", ("k", "c", 22)),
        put("d", ("k", "d", 23), ("j", "d", 23)),
        every("out", ("k", "kabcd", 23)),
    ),
    Case(
        "a left join of three streams waits for each in turn",
        streams_left,
        put("a", ("k", "a", 20), ("j", "A", 20)),
        put("c", ("k", "c", 21)),
        every("out"),
        put("b", ("k", "b", 22)),
        every("out", ("k", "a+b+c", 22)),
        put("b", ("x", "b", 60)),
        every("out"),
        put("c", ("x", "c", 61)),
        every("out", ("j", "A+-+-", 20)),
    ),
    Case(
        "an outer join of three streams keeps all of them",
        streams_outer,
        put("a", ("i", "a", 20)),
        put("b", ("j", "b", 20)),
        put("c", ("k", "c", 20)),
        every("out"),
        put("a", ("x", "y", 60)),
        every("out"),
        put("c", ("y", "z", 60)),
        every("out", ("k", "-+-+c", 20), ("i", "a+-+-", 20), ("j", "-+b+-", 20)),
    ),
    Case(
        "a stream meets itself twice in one call",
        thrice,
        put("a", ("k", "x", 1)),
        every("out", ("k", "xxx", 1)),
    ),
    Case(
        "three tables are joined in one call",
        tables,
        put("a", ("k", "a", 10)),
        put("b", ("k", "b", 30)),
        every("out"),
        put("c", ("k", "c", 20)),
        every("out", ("k", "abc", 30)),
        put("b", ("k", "B", 40)),
        every("out", ("k", "aBc", 40)),
        put("a", ("k", None, 50)),
        every("out", ("k", None, 50)),
    ),
    Case(
        "a left join of three tables has all rows of the first",
        tables_left,
        put("c", ("k", "c")),
        every("out"),
        put("a", ("k", "a"), ("j", "A")),
        every("out", ("k", "a+-+c"), ("j", "A+-+-")),
        put("b", ("k", "b")),
        every("out", ("k", "a+b+c")),
        put("c", ("k", None)),
        every("out", ("k", "a+b+-")),
        put("a", ("k", None)),
        every("out", ("k", None)),
    ),
    Case(
        "an outer join of three tables has all rows of all",
        tables_outer,
        put("c", ("k", "c")),
        every("out", ("k", "-+-+c")),
        put("b", ("k", "b"), ("j", "B")),
        every("out", ("k", "-+b+c"), ("j", "-+B+-")),
        put("a", ("k", "a")),
        every("out", ("k", "a+b+c")),
        put("b", ("k", None)),
        every("out", ("k", "a+-+c")),
        put("a", ("k", None)),
        every("out", ("k", "-+-+c")),
        put("c", ("k", None)),
        every("out", ("k", None)),
    ),
    Case(
        "several foreign keys in one call",
        tables_by_foreign_keys,
        put("users", ("a", "ann"), ("b", "bob")),
        put("products", ("x", "xen")),
        put("notes", ("1", "!"), ("2", "?")),
        put("orders", ("1", "ax"), ("2", "by"), ("3", "ax")),
        settled("out", {"1": "axannxen!"}),
        put("products", ("y", "yak")),
        settled("out", {"1": "axannxen!", "2": "bybobyak?"}),
        put("users", ("a", None)),
        settled("out", {"2": "bybobyak?"}),
    ),
    Case(
        "a stream looks things up in several tables",
        stream_and_tables,
        put("users", ("ann", "Ann")),
        put("products", ("x", "xen")),
        every("out"),
        put("orders", ("ann", "x1"), ("ann", "y1"), ("bob", "x1")),
        every("out", ("ann", "x1+Ann+xen")),
    ),
    Case(
        "a stream gets one key after the other",
        stream_and_rekeyed_tables,
        put("users", ("a", "Ann")),
        put("products", ("x", "xen")),
        every("out"),
        put("orders", ("1", "ax"), ("2", "by")),
        every("out", ("x", "ax+Ann+xen"), ("y", "by+-+-")),
    ),
    Case(
        "a stream meets another and looks up a table in one call",
        stream_and_both,
        put("c", ("k", "c")),
        put("a", ("k", "a", 20)),
        every("out"),
        put("b", ("k", "b", 25), ("j", "b", 25)),
        every("out", ("k", "abc", 25)),
    ),
]
