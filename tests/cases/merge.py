"""merge."""

import headrace.functions as F
from cases.table import Case, every, in_any_order, put, settled, texts
from headrace.dsl import Builder

H = (("from", b"left"),)


def two_topics(app: Builder) -> None:
    texts(app, "left").merge(texts(app, "right")).to("out")


def counted(app: Builder) -> None:
    texts(app, "left").merge(texts(app, "right")).group_by_key().count(store="n", emit="every").to_stream().to("out")


def itself(app: Builder) -> None:
    stream = texts(app)
    stream.merge(stream).to("out")


def three(app: Builder) -> None:
    stream = texts(app)
    upper = stream.map_values(lambda v: v.upper())
    stream.merge(upper).merge(stream.filter(lambda _, v: v > "b")).group_by_key().count(store="n").to_stream().to("out")


def with_a_later_stage(app: Builder) -> None:
    stream = texts(app)
    counts = stream.group_by(lambda _, v: v).count(store="n").to_stream().map_values(lambda n: F.text(n))
    stream.merge(counts).to("out")


def counted_with_a_later_stage(app: Builder) -> None:
    stream = texts(app)
    counts = stream.group_by(lambda _, v: v).count(store="first").to_stream().map_values(lambda n: F.text(n))
    both = stream.merge(counts)
    both.group_by_key().count(store="second").to_stream().to("out")


def rekeyed_and_not(app: Builder) -> None:
    stream = texts(app)
    stream.merge(stream.select_key(lambda _, v: v)).group_by_key().count(store="n").to_stream().to("out")


def moved_together(app: Builder) -> None:
    """A topic and what another task sends come to one task, which sends both on to another."""
    sent = (
        texts(app, "left").group_by(lambda _, v: v).reduce(lambda a, b: a + b, store="sent", emit="every").to_stream()
    )
    both = sent.merge(texts(app, "right").select_key(lambda k, _: k))
    both.group_by_key().reduce(lambda a, b: a + "," + b, store="both", emit="every").to_stream().to("out")


CASES = [
    Case(
        "what goes on together stays in the order in which it came",
        moved_together,
        put("left", ("k", "x", 50)),
        every("out", ("x", "x", 50)),
        put("left", ("k", "x", 12)),
        put("right", ("x", "r", 15)),
        every("out", ("x", "x,xx", 50), ("x", "x,xx,r", 50)),
    ),
    Case(
        "merge takes the records of both topics",
        two_topics,
        put("left", ("k", "1", 5, H), (None, "2")),
        put("right", ("k", "3", 4), ("k", None)),
        in_any_order("out", ("k", "1", 5, H), (None, "2", 1_000, ()), ("k", "3", 4, ()), ("k", None, 1_000, ())),
        put("right", ("k", "5")),
        every("out", ("k", "5")),
    ),
    Case(
        "a task takes the earliest of the heads of its topics",
        counted,
        put("left", ("k", "l", 10), ("k", "l", 40), ("k", "l", 20)),
        put("right", ("k", "r", 30), ("k", "r", 5)),
        every("out", ("k", 1, 10), ("k", 2, 30), ("k", 3, 30), ("k", 4, 40), ("k", 5, 40)),
    ),
    Case(
        "a stream merged with itself has every record twice",
        itself,
        put("in", ("k", "v", 5), (None, "w", 6)),
        in_any_order("out", ("k", "v", 5), ("k", "v", 5), (None, "w", 6), (None, "w", 6)),
    ),
    Case(
        "merges of streams from one topic",
        three,
        put("in", ("k", "a"), ("k", "c"), ("l", "c")),
        every("out", ("k", 5), ("l", 3)),
        put("in", ("l", "a")),
        every("out", ("l", 5)),
    ),
    Case(
        "a topic merged with the output of a later stage",
        with_a_later_stage,
        put("in", ("k", "a", 5), ("k", "a", 7), ("l", "b", 6)),
        in_any_order("out", ("k", "a", 5), ("k", "a", 7), ("l", "b", 6), ("a", "2", 7), ("b", "1", 6)),
        put("in", ("k", "b", 1)),
        in_any_order("out", ("k", "b", 1), ("b", "2", 6)),
    ),
    Case(
        "a count behind the merge with a later stage",
        counted_with_a_later_stage,
        put("in", ("k", "a"), ("a", "k"), ("k", "b")),
        settled("out", {"k": 3, "a": 2, "b": 1}),
        put("in", ("b", "b"), ("b", "b")),
        settled("out", {"k": 3, "a": 2, "b": 4}),
    ),
    Case(
        "changed and unchanged keys are counted together",
        rekeyed_and_not,
        put("in", ("k", "l"), ("l", "k"), ("l", "m")),
        settled("out", {"k": 2, "l": 3, "m": 1}),
    ),
    Case(
        "several streams at once",
        lambda app: texts(app, "a").merge(texts(app, "b"), texts(app, "c"), name="all").to("out"),
        put("a", ("k", "1", 3)),
        put("b", ("k", "2", 1)),
        put("c", ("k", "3", 2)),
        in_any_order("out", ("k", "1", 3), ("k", "2", 1), ("k", "3", 2)),
    ),
]
