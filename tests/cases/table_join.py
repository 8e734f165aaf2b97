"""join, left_join and outer_join of tables."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled, texts
from cases.tables import rows
from headrace.dsl import Builder


def both(left: Any, right: Any) -> Any:
    return F.coalesce(left, "-") + "+" + F.coalesce(right, "-")


def inner(app: Builder) -> None:
    rows(app, "left").join(rows(app, "right"), lambda left, right: left + "+" + right).to_stream().to("out")


def left(app: Builder) -> None:
    rows(app, "left").left_join(rows(app, "right"), both).to_stream().to("out")


def outer(app: Builder) -> None:
    rows(app, "left").outer_join(rows(app, "right"), both).to_stream().to("out")


def stored(app: Builder) -> None:
    joined = rows(app, "left").join(rows(app, "right"), lambda key, left, right: key + left + right, store="joined")
    joined.to_stream().to("out")


def derived(app: Builder) -> None:
    high = rows(app, "left").filter(hr.value > "m").map_values(lambda v: v + "!")
    high.outer_join(rows(app, "right"), both).to_stream().to("out")


def chained(app: Builder) -> None:
    first = rows(app, "left").join(rows(app, "right"), lambda left, right: left + right)
    first.left_join(rows(app, "third"), both).to_stream().to("out")


def grouped(app: Builder) -> None:
    joined = rows(app, "left").outer_join(rows(app, "right"), both)
    joined.group_by(lambda k, v: (v, k)).count(store="n", emit="every").to_stream().to("out")


def with_itself(app: Builder) -> None:
    table = rows(app, "left")
    table.join(table, lambda left, right: left + right).to_stream().to("out")


def windowed(app: Builder) -> None:
    words = texts(app).group_by_key().windowed_by(hr.tumbling("10ms"))
    counts, texts_ = words.count(store="n", emit="every"), words.reduce(lambda a, v: a + v, store="t", emit="every")
    counts.join(texts_, lambda n, text: text + F.text(n)).to_stream().to("out")


def of_one_stream(app: Builder) -> None:
    grouped = texts(app).group_by_key()
    counts = grouped.count(store="n", emit="every")
    last = grouped.reduce(lambda _, v: v, store="last", emit="every")
    joined = counts.join(last, lambda n, v: F.text(n) + v)
    last.left_join(joined, both).to_stream().to("out")


def pairs_counted(app: Builder) -> None:
    left, right = (app.table(topic, key=hr.STRING, value=hr.STRING, store=topic) for topic in ("left", "right"))
    pairs = left.join(right, both)
    pairs.group_by(lambda _, v: (v, v)).count(store="n").to_stream().to("out")


def with_settled(app: Builder) -> None:
    right = app.table("right", key=hr.STRING, value=hr.STRING, store="right")
    app.table("left", key=hr.STRING, value=hr.STRING).join(right, both).to_stream().to("out")


def joined_again(app: Builder) -> None:
    left, right = rows(app, "left"), rows(app, "right")
    pairs = left.join(right, lambda a, b: a + b).join(right.map_values(lambda v: v.upper()), lambda a, b: a + b)
    pairs.group_by(lambda _, v: (v, v)).count(store="n").to_stream().to("out")


def with_groups(app: Builder) -> None:
    table = rows(app)
    groups = table.group_by(lambda k, v: (v, k)).count(store="n", emit="every")
    table.join(groups, lambda row, n: row + F.text(n), store="met").to_stream().to("out")


CASES = [
    Case(
        "a table meets the groups of its own rows",
        with_groups,
        put("in", ("a", "b", 1), ("b", "b", 2), ("c", "a", 3)),
        settled("out", {"a": "b1", "b": "b2"}),
        put("in", ("a", "a", 4)),
        settled("out", {"a": "a2", "b": "b1"}),
    ),
    Case(
        "a join that is joined again with one of its sides leaves each group that it was in",
        joined_again,
        put("left", ("k", "1")),
        put("right", ("k", "a")),
        settled("out", {"1aA": 1}),
        put("right", ("k", "b")),
        settled("out", {"1aA": 0, "1bB": 1}),
        put("left", ("k", "2")),
        settled("out", {"1aA": 0, "1bB": 0, "2bB": 1}),
    ),
    Case(
        "tables that change in one batch make a pair that counts once",
        pairs_counted,
        put("left", ("a", "x", 1)),
        put("right", ("a", "y", 2)),
        settled("out", {"x+y": 1}),
    ),
    Case(
        "a row that is gone when the batch is over was joined with nothing",
        with_settled,
        put("right", ("a", "y", 1), ("a", None, 3)),
        put("left", ("a", "x", 2)),
        every("out"),
        put("right", ("a", "z", 4)),
        every("out", ("a", "x+z", 4)),
    ),
    Case(
        "those who read from one node get its records as they were declared",
        of_one_stream,
        put("in", ("a", "x")),
        every("out", ("a", "x+1x"), ("a", "x+1x")),
        put("in", ("a", "y")),
        every("out", ("a", "x+2x"), ("a", "y+2y"), ("a", "y+2y")),
    ),
    Case(
        "an inner join of tables has the rows of both",
        inner,
        put("left", ("a", "1", 10), ("b", "2", 20)),
        every("out"),
        put("right", ("a", "x", 5), (None, "y")),
        every("out", ("a", "1+x", 10)),
        put("left", ("a", "3", 30), ("a", None, 40), ("a", None, 45), ("c", None)),
        every("out", ("a", "3+x", 30), ("a", None, 40), ("a", None, 45)),
        put("right", ("a", None)),
        every("out"),
    ),
    Case(
        "a left join of tables has all rows of the left",
        left,
        put("left", ("a", "1", 10), ("b", None)),
        every("out", ("a", "1+-", 10)),
        put("right", ("a", "x", 20), ("b", "y")),
        every("out", ("a", "1+x", 20)),
        put("right", ("a", None, 30)),
        every("out", ("a", "1+-", 30)),
        put("left", ("a", None, 5), ("a", None, 6)),
        every("out", ("a", None, 5)),
    ),
    Case(
        "an outer join of tables has all rows",
        outer,
        put("right", ("a", "x", 10), ("b", None)),
        every("out", ("a", "-+x", 10)),
        put("left", ("a", "1", 5)),
        every("out", ("a", "1+x", 10)),
        put("right", ("a", None, 20)),
        every("out", ("a", "1+-", 20)),
        put("left", ("a", None, 30), ("a", None, 40)),
        every("out", ("a", None, 30)),
    ),
    Case(
        "a join of tables with a store settles",
        stored,
        put("left", ("a", "1", 1)),
        put("right", ("a", "x", 2), ("a", "y", 3), ("b", "z", 4)),
        every("out", ("a", "a1y", 3)),
    ),
    Case(
        "a join looks through computed tables",
        derived,
        put("left", ("a", "z", 10), ("b", "c", 20)),
        every("out", ("a", "z!+-", 10)),
        put("right", ("a", "x", 5), ("b", "y", 30)),
        every("out", ("a", "z!+x", 10), ("b", "-+y", 30)),
        put("left", ("a", "b", 40)),
        every("out", ("a", "-+x", 40)),
    ),
    Case(
        "joins of tables in a chain",
        chained,
        put("left", ("a", "1")),
        put("right", ("a", "x")),
        settled("out", {"a": "1x+-"}),
        put("third", ("a", "t")),
        settled("out", {"a": "1x+t"}),
        put("right", ("a", None)),
        settled("out", {}),
    ),
    Case(
        "a joined row leaves its group when either side changes",
        grouped,
        put("left", ("a", "1"), ("b", "1")),
        every("out", ("1+-", 1), ("1+-", 2)),
        put("right", ("a", "x")),
        every("out", ("1+-", 1), ("1+x", 1)),
        put("left", ("a", None)),
        every("out", ("1+x", 0), ("-+x", 1)),
    ),
    Case(
        "windowed tables are joined by key and window",
        windowed,
        put("in", ("a", "x", 3), ("b", "y", 4), ("a", "z", 5), ("a", "w", 15)),
        every(
            "out",
            (("a", 0, 10), "x1", 3),
            (("b", 0, 10), "y1", 4),
            (("a", 0, 10), "x2", 5),
            (("a", 0, 10), "xz2", 5),
            (("a", 10, 20), "w1", 15),
        ),
    ),
    Case(
        "a table joined with itself tells every change twice",
        with_itself,
        put("left", ("a", "1"), ("a", "2")),
        every("out", ("a", "11"), ("a", "11"), ("a", "22"), ("a", "22")),
    ),
]
