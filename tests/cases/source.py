"""stream: one topic, several, or a pattern."""

import re

import headrace as hr
from cases.table import Case, every, in_any_order, put, settled, texts
from headrace.dsl import Builder


def several(app: Builder) -> None:
    app.stream(["one", "two"], key=hr.STRING, value=hr.STRING).map_values(lambda v: v + "!").to("out")


def several_counted(app: Builder) -> None:
    stream = app.stream(["one", "two"], key=hr.STRING, value=hr.STRING)
    stream.group_by_key().count(store="n", emit="every").to_stream().to("out")


def pattern(app: Builder) -> None:
    stream = app.stream(re.compile("logs-[a-z]+"), key=hr.STRING, value=hr.STRING)
    stream.group_by_key().count(store="n").to_stream().to("out")
    texts(app, "logs-1").to("other")


def twice(app: Builder) -> None:
    texts(app).filter(lambda _, v: v == "a").to("a")
    texts(app).filter(lambda _, v: v == "b").to("b")


def unlike_topics(app: Builder) -> None:
    texts(app, "texts").to("texts-out")
    app.stream("numbers", key=hr.INT64, value=hr.INT64).map_values(lambda v: v + 1).to("numbers-out")


def stamped(app: Builder) -> None:
    app.stream("in", key=hr.STRING, value=hr.INT64, timestamp=lambda _, value: value).to("out")


def stamped_by_two(app: Builder) -> None:
    left = app.stream("left", key=hr.STRING, value=hr.INT64, timestamp=hr.value)
    both = left.merge(app.stream("right", key=hr.STRING, value=hr.INT64, timestamp=hr.value))
    both.group_by_key().count(store="n", emit="every").to_stream().to("out")


def remembered_beside(app: Builder) -> None:
    last = app.stream("in", key=hr.STRING, value=hr.STRING, timestamp="partition_time")
    last.group_by_key().count(store="n", emit="every").to_stream().to("out")
    texts(app, "other").to("copy")


CASES = [
    Case(
        "one stream of several topics",
        several,
        put("one", ("k", "1", 5), (None, "2")),
        put("two", ("k", "3", 4)),
        in_any_order("out", ("k", "1!", 5), (None, "2!", 1_000), ("k", "3!", 4)),
        put("two", ("k", "4")),
        every("out", ("k", "4!")),
    ),
    Case(
        "several topics are taken in the order of time",
        several_counted,
        put("one", ("a", "1", 10), ("b", "2", 30)),
        put("two", ("a", "3", 20), ("b", "4", 5), ("a", "5", 40)),
        every("out", ("a", 1, 10), ("a", 2, 20), ("b", 1, 5), ("b", 2, 30), ("a", 3, 40)),
    ),
    Case(
        "a pattern reads the topics it matches as a whole",
        pattern,
        put("logs-a", ("k", "1"), ("l", "2")),
        put("logs-bc", ("k", "3")),
        put("logs-1", ("k", "4")),
        settled("out", {"k": 2, "l": 1}),
        every("other", ("k", "4")),
        put("logs-bc", ("l", "5")),
        settled("out", {"k": 2, "l": 2}),
    ),
    Case(
        "a topic that is read twice is one source",
        twice,
        put("in", ("k", "a"), ("k", "b"), ("k", "c")),
        every("a", ("k", "a")),
        every("b", ("k", "b")),
    ),
    Case(
        "topics of different types in one application",
        unlike_topics,
        put("texts", ("k", "v")),
        put("numbers", (1, 2), (-1, -(2**63))),
        every("texts-out", ("k", "v")),
        every("numbers-out", (1, 3), (-1, -(2**63) + 1)),
    ),
    Case(
        "times come from the records",
        stamped,
        put("in", ("k", 30, 1), ("k", 10, 2), ("k", -1, 3), ("l", 20, -1), ("m", 0, 4)),
        every("out", ("k", 30, 30), ("k", 10, 10), ("l", 20, 20), ("m", 0, 0)),
    ),
    Case(
        "times of the records decide which goes first",
        stamped_by_two,
        put("left", ("a", 30, 1), ("b", 40, 2)),
        put("right", ("c", 20, 3), ("a", 35, 4)),
        every("out", ("c", 1, 20), ("a", 1, 30), ("a", 2, 35), ("b", 1, 40)),
    ),
    Case(
        "a record without a time is skipped",
        lambda app: app.stream("in", key=hr.STRING, value=hr.INT64, timestamp="skip").to("out"),
        put("in", ("k", 1, 5), ("k", 2, -1), ("k", 3, 1)),
        every("out", ("k", 1, 5), ("k", 3, 1)),
    ),
    Case(
        "a record without a time gets the latest of its partition",
        lambda app: app.stream("in", key=hr.STRING, value=hr.INT64, timestamp="partition_time").to("out"),
        put("in", ("k", 1, 5), ("k", 2, 3), ("k", 3, -1)),
        every("out", ("k", 1, 5), ("k", 2, 3), ("k", 3, 5)),
        put("in", ("k", 4, -1)),
        every("out", ("k", 4, 5)),
    ),
    Case(
        "times that were filled in meet a store, beside topics that have theirs",
        remembered_beside,
        put("in", ("a", "1", 5), ("b", "2", 3), ("a", "3", -1)),
        put("other", ("k", "4", 7)),
        every("out", ("a", 1, 5), ("b", 1, 3), ("a", 2, 5)),
        every("copy", ("k", "4", 7)),
        put("in", ("b", "5", -1), ("c", "6", 9), ("c", "7", -1)),
        every("out", ("b", 2, 5), ("c", 1, 9), ("c", 2, 9)),
    ),
    Case(
        "the time of the partition can be asked for",
        lambda app: app.stream(
            "in", key=hr.STRING, value=hr.INT64, timestamp=lambda _, value, ts, latest: latest + value + ts
        ).to("out"),
        put("in", ("k", 1, 5), ("k", 1, 1), ("k", -10, 1), ("k", 0, 1)),
        every("out", ("k", 1, 5), ("k", 1, 7), ("k", 0, 8)),
        put("in", ("k", -5, 2)),
        every("out", ("k", -5, 5)),
        put("in", ("k", 0, 1)),
        every("out", ("k", 0, 9)),
    ),
    Case(
        "rows of tables have the times that are in them",
        lambda app: (
            app.table("in", key=hr.STRING, value=hr.INT64, timestamp=hr.value, store="rows").to_stream().to("out")
        ),
        put("in", ("k", 7, 1)),
        every("out", ("k", 7, 7)),
    ),
]
