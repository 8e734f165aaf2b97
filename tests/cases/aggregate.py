"""reduce, aggregate, cogroup."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled, texts
from headrace.dsl import Builder


def reduced(app: Builder) -> None:
    texts(app).group_by_key().reduce(lambda so_far, v: so_far + v, emit="every").to_stream().to("out")


def reduced_by_value(app: Builder) -> None:
    words = texts(app).group_by(lambda _, v: v[:1])
    words.reduce(lambda so_far, v: hr.when(v > so_far, v).otherwise(so_far), store="last").to_stream().to("out")


def aggregated(app: Builder) -> None:
    lengths = texts(app).group_by_key().aggregate(0, lambda _, v, total: total + F.length(v), emit="every")
    lengths.to_stream().to("out")


def clearing(app: Builder) -> None:
    cleared = (
        texts(app)
        .group_by_key()
        .aggregate(">", lambda _, v, text: hr.when(v == "clear", None).otherwise(text + v), store="text", emit="every")
    )
    cleared.to_stream().to("out")


def in_place(app: Builder) -> None:
    def appended(_key: str, value: str, seen: list[str]) -> list[str]:
        seen.append(value)
        return seen

    seen = texts(app).group_by_key().aggregate(list, appended, emit="every")
    seen.map_values(lambda values: ",".join(values)).to_stream().to("out", value=hr.STRING)


def cogrouped(app: Builder) -> None:
    left = texts(app, "left").group_by_key()
    right = texts(app, "right").group_by(lambda _, v: v[:1])
    both = left.cogroup(lambda _, v, text: text + "-" + v).cogroup(right, lambda _, v, text: text + "+" + v)
    both.aggregate("0", store="both", emit="every").to_stream().to("out")


def cogrouped_with_itself(app: Builder) -> None:
    grouped = texts(app).group_by_key()
    twice = grouped.cogroup(lambda _, v, text: text + v).cogroup(grouped, lambda _, v, text: text + v.upper())
    twice.aggregate("", emit="every").to_stream().to("out")


CASES = [
    Case(
        "reduce begins with the first value",
        reduced,
        put("in", ("a", "1", 30), ("b", "2", 10), ("a", "3", 20), (None, "x"), ("a", None), ("a", "4", 50)),
        every("out", ("a", "1", 30), ("b", "2", 10), ("a", "13", 30), ("a", "134", 50)),
    ),
    Case(
        "reduce by a new key",
        reduced_by_value,
        put("in", (None, "ab"), (None, "aa"), (None, "b")),
        settled("out", {"a": "ab", "b": "b"}),
        put("in", (None, "ac")),
        settled("out", {"a": "ac", "b": "b"}),
    ),
    Case(
        "aggregate begins with its initial value",
        aggregated,
        put("in", ("a", "x", 20), ("b", "xx", 10), ("a", "xxx", 5), (None, "x"), ("a", None), ("a", "", 30)),
        every("out", ("a", 1, 20), ("b", 2, 10), ("a", 4, 20), ("a", 4, 30)),
    ),
    Case(
        "an aggregate that becomes None is deleted and begins anew",
        clearing,
        put("in", ("a", "1", 30), ("a", "clear", 20), ("a", "clear", 10), ("a", "2", 5)),
        every("out", ("a", ">1", 30), ("a", None, 30), ("a", None, 10), ("a", ">2", 5)),
    ),
    Case(
        "an aggregate may be changed in place",
        in_place,
        put("in", ("a", "1"), ("b", "2"), ("a", "3")),
        every("out", ("a", "1"), ("b", "2"), ("a", "1,3")),
    ),
    Case(
        "cogroup adds the records of each stream in its own way",
        cogrouped,
        put("left", ("a", "1", 10), ("b", "2", 20)),
        every("out", ("a", "0-1"), ("b", "0-2")),
        put("right", (None, "a3", 15), ("x", "a4", 5)),
        every("out", ("a", "0-1+a3", 15), ("a", "0-1+a3+a4", 15)),
        put("left", ("a", None), (None, "5"), ("c", "6")),
        every("out", ("c", "0-6")),
    ),
    Case(
        "cogroup of a stream with itself",
        cogrouped_with_itself,
        put("in", ("a", "x"), ("a", "y")),
        every("out", ("a", "x"), ("a", "xX"), ("a", "xXy"), ("a", "xXyY")),
    ),
]
