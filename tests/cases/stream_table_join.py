"""join and left_join of streams with tables and global tables."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, texts
from cases.table_join import both
from cases.tables import rows
from headrace.dsl import Builder, KStream


def inner(app: Builder) -> None:
    texts(app).join(rows(app, "table"), lambda left, right: left + "+" + right).to("out")


def left(app: Builder) -> None:
    texts(app).left_join(rows(app, "table"), both).to("out")


def moved(app: Builder) -> None:
    first: Any = hr.when(hr.value == "none", None).otherwise(hr.value[:1])
    stream: KStream[str, str] = texts(app).select_key(first)
    stream.left_join(rows(app, "table"), both).to("left")
    stream.join(rows(app, "table"), lambda key, left, right: key + left + right).to("inner")


def of_counts(app: Builder) -> None:
    counts = texts(app).group_by_key().count(store="n", emit="every")
    texts(app).join(counts, lambda value, n: value + F.text(n)).to("out")


def global_inner(app: Builder) -> None:
    products = app.global_table("table", key=hr.STRING, value=hr.STRING)
    texts(app).join(products, lambda left, right: left + "+" + right, on=lambda _, v: v[:1]).to("out")


def global_left(app: Builder) -> None:
    products = app.global_table("table", key=hr.STRING, value=hr.STRING, store="products")
    on = hr.when(hr.value == "none", None).otherwise(hr.value[:1])
    texts(app).left_join(products, both, on=on).to("out")


def global_twice(app: Builder) -> None:
    products = app.global_table("table", key=hr.STRING, value=hr.STRING)
    named = texts(app).join(products, lambda v, product: v + product, on=lambda v: v[:1])
    counts = named.group_by(lambda _, v: v[:1]).count(store="n", emit="every").to_stream()
    counts.join(products, lambda n, product: product + F.text(n), on=lambda key, _: key).to("out")


CASES = [
    Case(
        "a global table is there before and behind a repartition",
        global_twice,
        put("table", ("p", "pen", 50), ("q", "quill", 60)),
        put("in", ("1", "p", 1), ("2", "q", 2), ("3", "p", 3)),
        every("out", ("p", "pen1"), ("q", "quill1"), ("p", "pen2")),
        put("table", ("p", "pin", 70)),
        put("in", ("4", "p", 4)),
        every("out", ("p", "pin3")),
    ),
    Case(
        "a record joins the row that is there when it comes",
        inner,
        put("in", ("a", "1", 10)),
        every("out"),
        put("table", ("a", "x", 50)),
        every("out"),
        put("in", ("a", "2", 20), ("b", "3"), (None, "4"), ("a", None)),
        every("out", ("a", "2+x", 20)),
        put("table", ("a", None)),
        put("in", ("a", "5", 2_000)),
        every("out"),
    ),
    Case(
        "records and rows that come together are taken by their times",
        inner,
        put("in", ("a", "1", 10), ("a", "2", 30), ("a", "3", 50)),
        put("table", ("a", "x", 20), ("a", "y", 40)),
        every("out", ("a", "2+x", 30), ("a", "3+y", 50)),
    ),
    Case(
        "a left join keeps records without a row or a key",
        left,
        put("in", ("a", "1", 10), (None, "2"), ("a", None)),
        every("out", ("a", "1+-", 10), (None, "2+-")),
        put("table", ("a", "x")),
        put("in", ("a", "3", 2_000)),
        every("out", ("a", "3+x", 2_000)),
    ),
    Case(
        "a stream is brought to the table by its new key",
        moved,
        put("table", ("a", "x", 1)),
        put("in", ("q", "a1"), ("q", "none"), ("q", "b1")),
        every("left", ("a", "a1+x"), (None, "none+-"), ("b", "b1+-")),
        every("inner", ("a", "aa1x")),
    ),
    Case(
        "a stream joins a table that is made of it",
        of_counts,
        put("in", ("a", "x"), ("a", "y"), ("b", "z")),
        every("out", ("a", "x1"), ("a", "y2"), ("b", "z1")),
    ),
    Case(
        "a global table is joined by any key, and comes first",
        global_inner,
        put("in", ("q", "a1", 10), (None, "a2", 20), ("q", "b1", 30), ("q", None)),
        put("table", ("a", "x", 500), (None, "y")),
        every("out", ("q", "a1+x", 10), (None, "a2+x", 20)),
        put("table", ("a", None)),
        put("in", ("q", "a3")),
        every("out"),
    ),
    Case(
        "a left join with a global table keeps what names no row or no key",
        global_left,
        put("table", ("a", "x")),
        put("in", ("q", "a1"), ("q", "b1"), ("q", "none"), (None, "none"), ("q", None)),
        every("out", ("q", "a1+x"), ("q", "b1+-"), ("q", "none+-"), (None, "none+-")),
    ),
]
