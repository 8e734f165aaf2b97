"""Windowed keys that functions make: for topics, for groups, and for the best few of each window."""

from __future__ import annotations

from dataclasses import dataclass

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, in_any_order, put, settled, texts
from headrace.dsl import Builder, KTable

Key = hr.Windowed[str]


@dataclass
class View:
    """A key without a hash."""

    industry: str
    article: str


@dataclass(frozen=True)
class Article:
    name: str
    views: int


def counts(app: Builder) -> KTable[Key, int]:
    """How often each text came in 10 ms."""
    return texts(app).group_by_key().windowed_by(hr.tumbling("10ms", grace="1h")).count(store="n", emit="every")


def renamed(app: Builder) -> None:
    made = counts(app).to_stream().select_key(lambda at, _: hr.Windowed(at.key.upper(), at.start, at.end + 1))
    made.to("out")
    counts_by_text = made.map(lambda at, n: (F.text(at) + "!", n))
    counts_by_text.to("texts")


def moved_early(app: Builder) -> None:
    made = counts(app).to_stream().select_key(lambda at, _: hr.Windowed(at.key[:1], at.start, at.end))
    made.to("out", key=hr.time_windowed(hr.STRING, "10ms"))


def stream_grouped(app: Builder) -> None:
    by_letter = counts(app).to_stream().group_by(lambda at, _: hr.Windowed(at.key[:1], at.start, at.end))
    by_letter.count(store="changes", emit="every").to_stream().to("out")


def table_grouped(app: Builder) -> None:
    by_letter = counts(app).group_by(lambda at, n: (hr.Windowed(at.key[:1], at.start, at.end), n))
    sums = by_letter.aggregate(0, lambda _, n, sum_: sum_ + n, lambda _, n, sum_: sum_ - n, store="sums")
    sums.to_stream().to("out")


def put_in(_at: Key, article: Article, top: list[Article]) -> list[Article]:
    return sorted([*top, article], key=lambda one: (-one.views, one.name))


def take_out(_at: Key, article: Article, top: list[Article]) -> list[Article]:
    return [one for one in top if one != article]


def top_of_each_window(app: Builder) -> None:
    views = app.stream("in", key=hr.STRING, value=hr.json(View))
    counted = views.group_by(lambda _, view: view).windowed_by(hr.tumbling("1h")).count(store="n")
    by_industry = counted.group_by(
        lambda at, n: (hr.Windowed(at.key.industry, at.start, at.end), Article(at.key.article, n))
    )
    top = by_industry.aggregate(list, put_in, take_out, store="top")
    top.map_values(lambda articles: articles[:2]).to_stream().to("out")


HOUR = 3_600_000
CASES = [
    Case(
        "a windowed key that a function makes stays one",
        renamed,
        put("in", ("ann", "x", 3), ("bob", "x", 14), ("ann", "x", 5)),
        in_any_order("out", (("ANN", 0, 11), 1, 3), (("BOB", 10, 21), 1, 14), (("ANN", 0, 11), 2, 5)),
        in_any_order("texts", ("ANN@0/11!", 1), ("BOB@10/21!", 1), ("ANN@0/11!", 2)),
    ),
    Case(
        "a windowed key that a function makes is written as one of its size",
        moved_early,
        put("in", ("ann", "x", 3), ("ann", "x", 14)),
        every("out", (("a", 0, 10), 1, 3), (("a", 10, 20), 1, 14)),
    ),
    Case(
        "a stream is grouped by windowed keys",
        stream_grouped,
        put("in", ("ab", "x", 3), ("ac", "x", 4), ("ab", "x", 14), ("b", "x", 5)),
        in_any_order("out", (("a", 0, 10), 1), (("a", 0, 10), 2), (("a", 10, 20), 1), (("b", 0, 10), 1)),
    ),
    Case(
        "a table is grouped by windowed keys",
        table_grouped,
        put("in", ("ab", "x", 3), ("ac", "x", 4), ("ab", "x", 14), ("b", "x", 5)),
        settled("out", {Key("a", 0, 10): 2, Key("a", 10, 20): 1, Key("b", 0, 10): 1}),
        put("in", ("ab", "y", 6)),
        settled("out", {Key("a", 0, 10): 3, Key("a", 10, 20): 1, Key("b", 0, 10): 1}),
    ),
    Case(
        "the best few of each window",
        top_of_each_window,
        put("in", *((None, View("it", name), 1_000 + at) for at, name in enumerate("abacabbd"))),
        settled("out", {Key("it", 0, HOUR): [Article("a", 3), Article("b", 3)]}),
        put("in", *((None, View(*one), HOUR + 5) for one in (("it", "d"), ("law", "x"), ("it", "d"), ("it", "c")))),
        settled(
            "out",
            {
                Key("it", 0, HOUR): [Article("a", 3), Article("b", 3)],
                Key("it", HOUR, 2 * HOUR): [Article("d", 2), Article("c", 1)],
                Key("law", HOUR, 2 * HOUR): [Article("x", 1)],
            },
        ),
    ),
]
