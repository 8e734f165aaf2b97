"""suppress: until windows close, until a time limit."""

import headrace as hr
from cases.table import Case, Topology, every, put, texts
from headrace.build.suppressed import Suppressed
from headrace.dsl import Builder
from headrace.model.windows import Windows

A, B = (("from", b"a"),), (("from", b"b"),)


def final(windows: Windows) -> Topology:
    def topology(app: Builder) -> None:
        counts = texts(app).group_by_key().windowed_by(windows).count(emit="every")
        counts.suppress(hr.until_window_closes()).to_stream().to("out")

    return topology


def filtered_first(app: Builder) -> None:
    counts = texts(app).group_by_key().windowed_by(hr.tumbling("10ms")).count(emit="every")
    counts.filter(lambda _, n: n < 2).suppress(hr.until_window_closes()).to_stream().to("out")


def limited(until: Suppressed) -> Topology:
    return lambda app: texts(app).to_table(emit="every").suppress(until).to_stream().to("out")


def regrouped(app: Builder) -> None:
    table = texts(app).to_table(emit="every").suppress(hr.until_time_limit("10ms"))
    table.group_by(lambda _, v: (v, 1)).count(emit="every").to_stream().to("out")


def recounted(app: Builder) -> None:
    counts = texts(app).group_by_key().windowed_by(hr.tumbling("10ms")).count(store="n")
    final = counts.suppress(hr.until_window_closes())
    final.group_by(lambda window, n: (window.key, n)).count(store="windows").to_stream().to("out")


CASES = [
    Case(
        "suppress sends on a window once its end and grace are reached",
        final(hr.tumbling("10ms", grace="5ms")),
        put("in", ("a", "1", 3), ("a", "2", 4), ("b", "3", 14)),
        every("out"),
        put("in", ("b", "4", 15)),
        every("out", (("a", 0, 10), 2, 4)),
    ),
    Case(
        "suppress closes sliding windows when stream time reaches their end and grace",
        final(hr.sliding("10ms", grace="5ms")),
        put("in", ("a", "1", 20), ("b", "2", 24)),
        every("out"),
        put("in", ("b", "3", 25)),
        every("out", (("a", 10, 20), 1, 20)),
    ),
    Case(
        "suppress closes sessions when stream time reaches their end and gap and grace and forgets absorbed ones",
        final(hr.session("10ms", grace="5ms")),
        put("in", ("a", "1", 20), ("a", "2", 25), ("b", "3", 39)),
        every("out"),
        put("in", ("b", "4", 40)),
        every("out", (("a", 20, 25), 2, 25)),
    ),
    Case(
        "suppress sends on windows by end and key with their own headers",
        final(hr.tumbling("10ms")),
        put("in", ("b", "1", 3, A), ("a", "2", 4, B), ("c", "3", 11), ("a", "4", 99)),
        every("out", (("a", 0, 10), 1, 4, B), (("b", 0, 10), 1, 3, A), (("c", 10, 20), 1, 11, ())),
    ),
    Case(
        "a deleted row is no final result",
        filtered_first,
        put("in", ("a", "1", 3), ("b", "2", 4), ("a", "3", 5), ("c", "4", 20)),
        every("out", (("b", 0, 10), 1, 4)),
    ),
    Case(
        "a time limit holds a key back from its first change on and sends the last",
        limited(hr.until_time_limit("10ms")),
        put("in", ("a", "1", 0), ("a", "2", 9), ("b", "3", 5)),
        every("out"),
        put("in", ("a", "4", 10)),
        every("out", ("a", "4", 10)),
        put("in", ("c", "5", 15)),
        every("out", ("b", "3", 5)),
    ),
    Case(
        "a time limit keeps deletions",
        limited(hr.until_time_limit("10ms")),
        put("in", ("a", "1", 0), ("a", None, 3), ("b", "2", 11)),
        every("out", ("a", None, 3)),
    ),
    Case(
        "a time limit of nothing holds nothing back",
        limited(hr.until_time_limit("0s")),
        put("in", ("a", "1", 5), ("a", "2", 5), ("b", "3", 6)),
        every("out", ("a", "1", 5), ("a", "2", 5), ("b", "3", 6)),
    ),
    Case(
        "the oldest leaves early when too many wait",
        limited(hr.until_time_limit("1d", max_records=2)),
        put("in", ("b", "1", 5), ("a", "2", 5), ("c", "3", 6), ("a", "4", 7), ("d", "5", 8)),
        every("out", ("a", "2", 5), ("b", "1", 5), ("c", "3", 6)),
    ),
    Case(
        "final results are each counted once",
        recounted,
        put("in", ("a", "1", 3)),
        every("out"),
        put("in", ("a", "2", 4)),
        every("out"),
        put("in", ("a", "3", 13), ("b", "4", 14)),
        every("out", ("a", 1)),
        put("in", ("a", "5", 15)),
        every("out"),
        put("in", ("b", "6", 99)),
        every("out", ("a", 2), ("b", 1)),
    ),
    Case(
        "the oldest leaves early when too many bytes wait",
        limited(hr.until_time_limit("1d", max_bytes=6)),
        put("in", ("a", "12", 5), ("b", "12", 6), ("a", "1", 7), ("c", "1", 8), ("b", None, 9), ("b", "12345", 10)),
        every("out", ("a", "1", 7), ("b", "12345", 10)),
    ),
    Case(
        "what is larger than the bound waits for nobody",
        limited(hr.until_time_limit("1d", max_bytes=2)),
        put("in", ("a", "12", 5), ("b", "1", 6)),
        every("out", ("a", "12", 5)),
    ),
    Case(
        "old values pass through suppress to an aggregate",
        regrouped,
        put("in", ("a", "x", 0), ("b", "y", 10), ("a", "z", 11), ("b", "y", 30)),
        every("out", ("x", 1, 0), ("y", 1, 30), ("x", 0, 11), ("z", 1, 11)),
    ),
]
