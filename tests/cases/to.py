"""to: one topic, or one chosen for each record."""

import headrace as hr
from cases.table import Case, every, in_any_order, put, texts
from headrace.dsl import Builder

H = (("trace", b"\x01"),)


def two_into_one(app: Builder) -> None:
    stream = texts(app)
    stream.filter(lambda _, v: v < "m").to("out")
    stream.filter(lambda _, v: v > "f").map_values(lambda v: v.upper()).to("out")


def chosen_behind_a_count(app: Builder) -> None:
    counts = texts(app).group_by_key().count(store="n").to_stream()
    counts.to(hr.when(hr.value > 1, "many").otherwise("one"))


def copied_and_changed(app: Builder) -> None:
    stream = texts(app)
    stream.to("copy")
    stream.map_values(lambda v: v.upper()).to("upper")


def beside_a_longer_way(app: Builder) -> None:
    """What is written by the first of several stages passes by the others."""
    first, second = texts(app, "first").group_by_key(), texts(app, "second").group_by_key()
    both = first.cogroup(lambda _, v, text: text + v).cogroup(second, lambda _, v, text: text + v)
    both.aggregate("", store="texts", emit="every").to_stream().to("out")
    counts = texts(app, "third").group_by(lambda _, v: v).count(store="n", emit="every").to_stream()
    counts.group_by(lambda _, n: n).count(store="m", emit="every").to_stream().to("long")


CASES = [
    Case(
        "to writes key, value, time and headers",
        lambda app: texts(app).to("out"),
        put("in", ("k", "v", 5, H), (None, None, 3), ("", "", 4, (*H, *H))),
        every("out", ("k", "v", 5, H), (None, None, 3, ()), ("", "", 4, (*H, *H))),
    ),
    Case(
        "bytes are written as they were read",
        lambda app: app.stream("in").to("out"),
        put("in", (b"\x00\xff", b""), (None, b"\xff\xfe"), (b"", None)),
        every("out", (b"\x00\xff", b""), (None, b"\xff\xfe"), (b"", None)),
    ),
    Case(
        "numbers and truth values are written as they were read",
        lambda app: app.stream("in", key=hr.INT32, value=hr.DOUBLE).to("out"),
        put("in", (-1, 0.1), (2**31 - 1, float("inf")), (0, -0.0), (None, 5e-324)),
        every("out", (-1, 0.1), (2**31 - 1, float("inf")), (0, -0.0), (None, 5e-324)),
    ),
    Case(
        "another serde of the same type",
        lambda app: app.stream("in", key=hr.INT64, value=hr.BOOL).to("out", key=hr.INT32),
        put("in", (1, True), (-(2**31), False), (None, None)),
        every("out", (1, True), (-(2**31), False), (None, None)),
    ),
    Case(
        "a topic for each record",
        lambda app: texts(app).to(lambda _, v: "out-" + v),
        put("in", ("k", "a", 5, H), ("l", "b"), (None, "a")),
        every("out-a", ("k", "a", 5, H), (None, "a")),
        every("out-b", ("l", "b")),
        put("in", ("k", "b")),
        every("out-a"),
        every("out-b", ("k", "b")),
    ),
    Case(
        "a topic for each change of a table",
        chosen_behind_a_count,
        put("in", ("a", "1"), ("b", "2"), ("a", "3")),
        every("one", ("b", 1)),
        every("many", ("a", 2)),
        put("in", ("b", "4"), ("c", "5")),
        every("one", ("c", 1)),
        every("many", ("b", 2)),
    ),
    Case(
        "two streams write one topic",
        two_into_one,
        put("in", ("k", "a"), ("k", "z"), ("k", "g")),
        in_any_order("out", ("k", "a"), ("k", "Z"), ("k", "g"), ("k", "G")),
    ),
    Case(
        "a stream is written as it is and changed",
        copied_and_changed,
        put("in", ("k", "a"), (None, "b")),
        every("copy", ("k", "a"), (None, "b")),
        every("upper", ("k", "A"), (None, "B")),
    ),
    Case(
        "records are written in the order in which they were made, whatever their times",
        beside_a_longer_way,
        put("first", ("k", "a", 9)),
        put("third", ("k", "x")),
        every("out", ("k", "a", 9)),
        put("second", ("k", "b", 2)),
        put("first", ("k", "c", 3)),
        every("out", ("k", "ab", 9), ("k", "abc", 9)),
    ),
    Case(
        "a partitioner may drop a record",
        lambda app: texts(app).to("out", partitioner=lambda _, v, n: hr.when(v == "x", []).otherwise([n - 1])),
        put("in", ("k", "a"), ("k", "x"), (None, "b")),
        every("out", ("k", "a"), (None, "b")),
    ),
    Case(
        "a partitioner that says nothing leaves it to the key",
        lambda app: texts(app).to("out", partitioner=lambda _, v, n: hr.when(v == "x", n - 1).otherwise(None)),
        put("in", ("k", "a"), ("k", "x")),
        every("out", ("k", "a"), ("k", "x")),
    ),
    Case(
        "a partitioner knows the topic",
        lambda app: texts(app).to(
            lambda _, v: "out-" + v,
            partitioner=lambda t, _k, _v, _n: hr.when(t.endswith("-b"), []).otherwise([0, 0]),
        ),
        put("in", ("k", "a"), ("k", "b")),
        every("out-a", ("k", "a")),
        every("out-b"),
    ),
]
