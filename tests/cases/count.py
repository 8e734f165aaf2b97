"""group_by, group_by_key, count, to_stream."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, in_any_order, put, settled, texts
from headrace.dsl import Builder

A, B = (("from", b"a"),), (("from", b"b"),)


def settling(app: Builder) -> None:
    texts(app).group_by_key().count(store="n").to_stream().to("out")


def each_change(app: Builder) -> None:
    texts(app).group_by_key().count(store="n", emit="every").to_stream().to("out")


def words(app: Builder) -> None:
    lines = app.stream("lines", value=hr.STRING)
    counts = lines.flat_map_values(lambda line: line.lower().split()).group_by(lambda _, word: word)
    counts.count(store="counts").to_stream().to("counts", value=hr.INT64)


def two_keys(app: Builder) -> None:
    stream = texts(app)
    stream.group_by_key().count(store="by-key").to_stream().to("by-key")
    stream.group_by(lambda _, v: v).count(store="by-value").to_stream().to("by-value")
    stream.group_by(F.length(F.coalesce(hr.value, ""))).count(store="by-length").to_stream().to("by-length")


def of_counts(app: Builder) -> None:
    counts = texts(app).group_by(lambda _, v: v).count(store="first", emit="every").to_stream()
    counts.group_by(lambda _, n: n).count(store="second", emit="every").to_stream().to("out")


def of_settled_counts(app: Builder) -> None:
    counts = texts(app).group_by_key().count(store="first").to_stream()
    counts.group_by(lambda _, n: n).count(store="second").to_stream().to("out")


def of_counts_by_the_same_key(app: Builder) -> None:
    counts = texts(app).group_by_key().count(store="first", emit="every").to_stream()
    counts.group_by_key().count(store="second").to_stream().to("out")


def never_written(app: Builder) -> None:
    stream = texts(app)
    stream.group_by_key().count(store="silent")
    stream.to("out")


def tee(app: Builder) -> None:
    stream = texts(app)
    stream.filter(lambda _, v: v > "b").to("filtered")
    stream.map_values(lambda v: v.upper()).to("mapped")
    stream.group_by_key().count(store="n").to_stream().to("counted")


CASES = [
    Case(
        "count sends the last change of each key in a batch",
        settling,
        put("in", ("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("b", "5")),
        every("out", ("a", 2), ("c", 1), ("b", 2)),
        put("in", ("a", "6")),
        every("out", ("a", 3)),
        put("in", ("d", "7"), ("a", "8"), ("d", "9"), ("a", "10")),
        every("out", ("d", 2), ("a", 5)),
    ),
    Case(
        "count sends every change",
        each_change,
        put("in", ("a", "1"), ("b", "2"), ("a", "3")),
        every("out", ("a", 1), ("b", 1), ("a", 2)),
        put("in", ("a", "4"), ("a", "5")),
        every("out", ("a", 3), ("a", 4)),
    ),
    Case(
        "count drops what has no key or no value",
        settling,
        put("in", (None, "1"), ("a", None), (None, None), ("a", "2")),
        every("out", ("a", 1)),
        put("in", ("a", None), (None, "3")),
        every("out"),
        put("in", ("a", "")),
        every("out", ("a", 2)),
    ),
    Case(
        "the time of a count is the latest of its records",
        each_change,
        put("in", ("a", "1", 50), ("a", "2", 20), ("a", "3", 70), ("b", "4", 10)),
        every("out", ("a", 1, 50), ("a", 2, 50), ("a", 3, 70), ("b", 1, 10)),
        put("in", ("a", "5", 60), ("b", "6", 10)),
        every("out", ("a", 4, 70), ("b", 2, 10)),
    ),
    Case(
        "a settled count has the latest time and the headers of the last record",
        settling,
        put("in", ("a", "1", 50, A), ("a", "2", 20, B), ("b", "3", 5, A), ("b", "4", 6)),
        every("out", ("a", 2, 50, B), ("b", 2, 6, ())),
        put("in", ("a", "5", 10, A)),
        every("out", ("a", 3, 50, A)),
    ),
    Case(
        "every change has the headers of its record",
        each_change,
        put("in", ("a", "1", 5, A), ("a", "2", 5, B), ("a", "3", 5)),
        every("out", ("a", 1, 5, A), ("a", 2, 5, B), ("a", 3, 5, ())),
    ),
    Case(
        "keys are told apart by their bytes",
        settling,
        put(
            "in", ("", "1"), ("é", "2"), ("e\u0301", "3"), ("é", "4"), ("😀", "5"), (" ", "6"), ("", "7"), ("\x00", "8")
        ),
        every("out", ("e\u0301", 1), ("é", 2), ("😀", 1), (" ", 1), ("", 2), ("\x00", 1)),
    ),
    Case(
        "keys that are floats",
        lambda app: (
            app.stream("in", key=hr.DOUBLE, value=hr.STRING).group_by_key().count(store="n").to_stream().to("out")
        ),
        put("in", (0.0, "1"), (-0.0, "2"), (0.0, "3"), (1.5, "4")),
        every("out", (-0.0, 1), (0.0, 2), (1.5, 1)),
    ),
    Case(
        "keys of other types",
        lambda app: (
            app.stream("in", key=hr.INT32, value=hr.BYTES)
            .group_by(hr.key > 0)
            .count(store="n", emit="every")
            .to_stream()
            .to("out")
        ),
        put("in", (1, b""), (-(2**31), b"\x00"), (2**31 - 1, b"x"), (0, None)),
        every("out", (True, 1), (False, 1), (True, 2)),
    ),
    Case(
        "a key that is read as int32 is counted and written as it was read",
        lambda app: app.stream("in", key=hr.INT32).group_by_key().count(store="n").to_stream().to("out"),
        put("in", (7, b"x"), (-7, b"x"), (7, b"x")),
        every("out", (-7, 1), (7, 2)),
    ),
    Case(
        "no input counts nothing",
        settling,
        put("in"),
        every("out"),
        put("in", ("a", "1")),
        every("out", ("a", 1)),
    ),
    Case(
        "many records of one key in one batch",
        settling,
        put("in", *[("a", str(n), 1_000 + n) for n in range(300)]),
        every("out", ("a", 300, 1_299)),
    ),
    Case(
        "word count",
        words,
        put("lines", (None, "to be or not to be"), (None, ""), (None, "To BE")),
        every("counts", ("or", 1), ("not", 1), ("to", 3), ("be", 3)),
        put("lines", (b"any", "or else"), (None, "be")),
        settled("counts", {"to": 3, "be": 4, "or": 2, "not": 1, "else": 1}),
    ),
    Case(
        "several counts by different keys",
        two_keys,
        put("in", ("a", "x"), ("b", "yy"), ("a", "yy"), (None, "x"), ("c", None)),
        settled("by-key", {"a": 2, "b": 1}),
        settled("by-value", {"x": 2, "yy": 2}),
        settled("by-length", {1: 2, 2: 2}),
        put("in", ("a", "x")),
        settled("by-key", {"a": 3, "b": 1}),
        settled("by-value", {"x": 3, "yy": 2}),
        settled("by-length", {1: 3, 2: 2}),
    ),
    Case(
        "select_key and count",
        lambda app: texts(app).select_key(lambda _, v: v).group_by_key().count(store="n").to_stream().to("out"),
        put("in", ("a", "x", 5, A), ("b", "x", 4, B), ("b", None), ("c", "y")),
        every("out", ("x", 2, 5, B), ("y", 1, 1_000, ())),
    ),
    Case(
        "group_by to no key drops the record",
        lambda app: (
            texts(app)
            .group_by(hr.when(hr.value == "", None).otherwise(hr.value))
            .count(store="n", emit="every")
            .to_stream()
            .to("out")
        ),
        put("in", ("a", ""), ("a", "x"), (None, "x")),
        every("out", ("x", 1), ("x", 2)),
    ),
    Case(
        "flat_map and count",
        lambda app: (
            texts(app).flat_map(lambda k, v: [(k, v), (v, k)]).group_by_key().count(store="n").to_stream().to("out")
        ),
        put("in", ("a", "b"), ("b", "c")),
        every("out", ("a", 1), ("b", 2), ("c", 1)),
    ),
    Case(
        "a count of every count",
        of_counts,
        put("in", ("k", "x"), ("k", "x"), ("k", "y"), ("k", "x")),
        every("out", (1, 1), (2, 1), (1, 2), (3, 1)),
        put("in", ("k", "y"), ("k", "z")),
        every("out", (2, 2), (1, 3)),
    ),
    Case(
        "a count of settled counts",
        of_settled_counts,
        put("in", ("a", "1", 9), ("b", "2", 3), ("a", "3", 5), ("c", "4", 4)),
        every("out", (2, 1, 9), (1, 2, 4)),
        put("in", ("b", "5", 8), ("c", "6", 2)),
        every("out", (2, 3, 9)),
    ),
    Case(
        "a count of counts by the same key",
        of_counts_by_the_same_key,
        put("in", ("a", "1"), ("b", "2"), ("a", "3")),
        every("out", ("b", 1), ("a", 2)),
        put("in", ("a", "4"), ("a", "5")),
        every("out", ("a", 4)),
    ),
    Case(
        "the changes of a table are a stream",
        lambda app: (
            texts(app)
            .group_by_key()
            .count(store="n")
            .to_stream()
            .filter(lambda _, n: n > 1)
            .map(lambda k, n: (k + "!", n * 10))
            .to("out")
        ),
        put("in", ("a", "1"), ("b", "2"), ("a", "3")),
        every("out", ("a!", 20)),
        put("in", ("b", "4"), ("c", "5"), ("a", "6")),
        every("out", ("b!", 20), ("a!", 30)),
    ),
    Case(
        "a table that nobody writes stands beside what is written",
        never_written,
        put("in", ("a", "1"), ("b", "2")),
        every("out", ("a", "1"), ("b", "2")),
    ),
    Case(
        "one stream used three times",
        tee,
        put("in", ("a", "x", 5, A), ("b", "a"), ("a", "c"), (None, "d")),
        every("filtered", ("a", "x", 5, A), ("a", "c"), (None, "d")),
        every("mapped", ("a", "X", 5, A), ("b", "A"), ("a", "C"), (None, "D")),
        every("counted", ("b", 1), ("a", 2)),
    ),
    Case(
        "the app's own choice of emission",
        lambda app: (
            texts(app)
            .group_by_key()
            .count(store="n", emit="settled")
            .to_stream()
            .merge(texts(app).group_by_key().count(store="m", emit="every").to_stream())
            .to("out")
        ),
        put("in", ("a", "1"), ("a", "2")),
        in_any_order("out", ("a", 2), ("a", 1), ("a", 2)),
    ),
]
