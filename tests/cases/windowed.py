"""windowed_by tumbling, hopping, sliding and session windows: count, reduce, aggregate, and results on close."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, Row, Topology, every, put, settled, texts
from headrace.dsl import Builder
from headrace.dsl.windowed import WindowedKStream
from headrace.model.windows import Windows

A, B = (("from", b"a"),), (("from", b"b"),)

TUMBLING = hr.tumbling("10ms", grace="5ms")
HOPPING = hr.hopping("10ms", advance="5ms", grace="5ms")
SLIDING = hr.sliding("10ms", grace="5ms")
SESSION = hr.session("10ms", grace="5ms")


def grouped(app: Builder, windows: Windows) -> WindowedKStream[str, str]:
    return texts(app).group_by_key().windowed_by(windows)


def counted(windows: Windows, emit: str = "every") -> Topology:
    return lambda app: grouped(app, windows).count(store="n", emit=emit).to_stream().to("out")


def reduced(windows: Windows) -> Topology:
    return lambda app: grouped(app, windows).reduce(lambda text, v: text + v, emit="every").to_stream().to("out")


def at_close(windows: Windows, **options: Any) -> Topology:
    def topology(app: Builder) -> None:
        closing = grouped(app, windows).emit_strategy(hr.on_window_close())
        closing.count(store="n", **options).to_stream().to("out")

    return topology


def merged(app: Builder) -> None:
    sessions = grouped(app, SESSION).aggregate(
        "0", lambda _, v, text: text + v, merger=lambda _, left, right: left + "|" + right, emit="every"
    )
    sessions.to_stream().to("out")


def deleting(app: Builder) -> None:
    table = grouped(app, TUMBLING).aggregate(
        ">", lambda _, v, text: hr.when(v == "clear", None).otherwise(text + v), emit="every"
    )
    table.to_stream().to("out")


def with_nulls(windows: Windows) -> Topology:
    def topology(app: Builder) -> None:
        merger = (lambda _, left, right: left + right) if windows is SESSION else None
        table = grouped(app, windows).aggregate(
            "", lambda _, v, text: text + F.coalesce(v, "-"), merger=merger, emit="every"
        )
        table.to_stream().to("out")

    return topology


def in_place(app: Builder) -> None:
    def appended(_key: str, value: str, seen: list[str]) -> list[str]:
        seen.append(value)
        return seen

    table = grouped(app, SLIDING).aggregate(list, appended, emit="every")
    table.to_stream().map_values(lambda seen: ",".join(seen)).to("out", value=hr.STRING)


def by_new_key(app: Builder) -> None:
    words = texts(app).group_by(lambda _, v: v).windowed_by(TUMBLING)
    words.count(store="n").to_stream().select_key(lambda k, _: str(k)).to("out", key=hr.STRING)


def taken_apart(app: Builder) -> None:
    counts = grouped(app, TUMBLING).count(emit="every").filter(lambda k, _: k.start > 0, store="later", emit="every")
    counts.to_stream().map(lambda k, n: (k.key + "-" + F.text(k.start) + "-" + F.text(k.end), n)).to("out")


def read_back(windows: Windows, key: hr.Serde[hr.Windowed[str]]) -> Topology:
    def topology(app: Builder) -> None:
        grouped(app, windows).count(emit="every").to_stream().to("between")
        again = app.table("between", key=key, value=hr.INT64)
        again.group_by(lambda k, n: (k.key, n)).count(emit="every").to_stream().to("out")

    return topology


def stored(app: Builder) -> None:
    counts = grouped(app, TUMBLING).count(emit="every").filter(lambda _, n: n > 1, store="many", emit="every")
    counts.to_stream().to("out")


def counted_again(app: Builder) -> None:
    counts = grouped(app, TUMBLING).count(emit="every").to_stream()
    counts.group_by_key().count(store="changes", emit="every").to_stream().to("out")


def numbered(windows: Windows) -> Topology:
    """Keys whose bytes are not those of their type."""

    def topology(app: Builder) -> None:
        numbers = app.stream("in", key=hr.INT32, value=hr.STRING).group_by_key().windowed_by(windows)
        numbers.count(emit="every").suppress(hr.until_time_limit("5ms")).to_stream().to("out")

    return topology


def run(*rows: tuple[str, int]) -> Any:
    """Records of the key `a`, each with its value and time."""
    return put("in", *(("a", value, ts) for value, ts in rows))


def wins(*rows: tuple[int, int, object, int]) -> Any:
    """Results of the key `a`: start, end, value and time."""
    found: list[Row] = [(("a", start, end), value, ts) for start, end, value, ts in rows]
    return every("out", *found)


THE_END = 2**63 - 1

CASES = [
    Case(
        "a window at the end of time ends with it",
        counted(TUMBLING),
        run(("1", THE_END - 1), ("2", THE_END), ("3", 5)),
        wins((THE_END - 7, THE_END, 1, THE_END - 1), (THE_END - 7, THE_END, 2, THE_END)),
    ),
    Case(
        "tumbling windows begin at multiples of their size and exclude their end",
        counted(TUMBLING),
        run(("1", 0), ("2", 9), ("3", 10), ("4", 19), ("5", 25)),
        wins((0, 10, 1, 0), (0, 10, 2, 9), (10, 20, 1, 10), (10, 20, 2, 19), (20, 30, 1, 25)),
    ),
    Case(
        "a late record counts while its window is open",
        counted(TUMBLING),
        put("in", ("a", "1", 3), ("b", "2", 14), ("a", "3", 4)),
        every("out", (("a", 0, 10), 1, 3), (("b", 10, 20), 1, 14), (("a", 0, 10), 2, 4)),
    ),
    Case(
        "a record behind the close is dropped",
        counted(TUMBLING),
        put("in", ("a", "1", 3), ("b", "2", 15), ("a", "3", 4)),
        every("out", (("a", 0, 10), 1, 3), (("b", 10, 20), 1, 15)),
    ),
    Case(
        "a late record may enter some hopping windows only",
        counted(HOPPING),
        run(("1", 16), ("2", 8)),
        wins((10, 20, 1, 16), (15, 25, 1, 16), (5, 15, 1, 8)),
    ),
    Case(
        "the first hopping windows begin at 0",
        counted(HOPPING),
        run(("1", 3), ("2", 7)),
        wins((0, 10, 1, 3), (0, 10, 2, 7), (5, 15, 1, 7)),
    ),
    Case(
        "the time of a windowed count is the latest of its records",
        counted(TUMBLING),
        run(("1", 7), ("2", 3)),
        wins((0, 10, 1, 7), (0, 10, 2, 7)),
    ),
    Case(
        "a settled windowed count is the last of each window in a batch",
        counted(TUMBLING, "settled"),
        put("in", ("a", "1", 1, A), ("b", "2", 2), ("a", "3", 11), ("a", "4", 3, B)),
        every("out", (("b", 0, 10), 1, 2), (("a", 10, 20), 1, 11), (("a", 0, 10), 2, 3, B)),
        put("in", ("b", "5", 4)),
        settled("out", {("a", 0, 10): 2, ("b", 0, 10): 2, ("a", 10, 20): 1}),
    ),
    Case(
        "a windowed count drops what has no key and counts what has no value",
        counted(TUMBLING),
        put("in", (None, "1", 50), ("a", None, 3), ("a", "", 4)),
        every("out", (("a", 0, 10), 1, 3), (("a", 0, 10), 2, 4)),
    ),
    Case(
        "time windows and sessions fold a record without a value",
        with_nulls(TUMBLING),
        put("in", ("a", "x", 1), ("a", None, 2)),
        wins((0, 10, "x", 1), (0, 10, "x-", 2)),
    ),
    Case(
        "a session folds a record without a value",
        with_nulls(SESSION),
        put("in", ("a", None, 2), ("a", "x", 2)),
        wins((2, 2, "-", 2), (2, 2, "-x", 2)),
    ),
    Case(
        "sliding windows drop a record without a value",
        with_nulls(SLIDING),
        put("in", ("a", "x", 20), ("a", None, 90), ("a", "y", 20)),
        wins((10, 20, "x", 20), (10, 20, "xy", 20)),
    ),
    Case(
        "windowed reduce begins with the first value",
        reduced(TUMBLING),
        run(("x", 1), ("y", 2), ("z", 12)),
        wins((0, 10, "x", 1), (0, 10, "xy", 2), (10, 20, "z", 12)),
    ),
    Case(
        "a windowed aggregate that becomes none is deleted and begins anew",
        deleting,
        run(("x", 1), ("clear", 5), ("y", 2)),
        wins((0, 10, ">x", 1), (0, 10, None, 5), (0, 10, ">y", 2)),
    ),
    Case(
        "a windowed count by a new key",
        by_new_key,
        put("in", ("a", "x", 1), ("b", "x", 2), ("a", "y", 11)),
        settled("out", {"x@0/10": 2, "y@10/20": 1}),
    ),
    Case(
        "a sliding window ends with each record and one begins after it once it is not empty",
        reduced(SLIDING),
        run(("x", 20), ("y", 25), ("z", 40)),
        wins((10, 20, "x", 20), (21, 31, "y", 25), (15, 25, "xy", 25), (30, 40, "z", 40)),
    ),
    Case(
        "a sliding window includes both of its ends",
        reduced(SLIDING),
        run(("x", 20), ("y", 30), ("z", 42)),
        wins((10, 20, "x", 20), (21, 31, "y", 30), (20, 30, "xy", 30), (32, 42, "z", 42)),
    ),
    Case(
        "the window after a record and the one before the next may be the same and is sent twice",
        reduced(SLIDING),
        run(("x", 20), ("y", 30), ("z", 41)),
        wins((10, 20, "x", 20), (21, 31, "y", 30), (20, 30, "xy", 30), (31, 41, "z", 41), (31, 41, "z", 41)),
    ),
    Case(
        "a late record enters all sliding windows around it that are open",
        reduced(SLIDING),
        run(("x", 20), ("y", 30), ("z", 26)),
        wins(
            *((10, 20, "x", 20), (21, 31, "y", 30), (20, 30, "xy", 30)),
            *((21, 31, "yz", 30), (20, 30, "xyz", 30), (16, 26, "xz", 26), (27, 37, "y", 30)),
        ),
    ),
    Case(
        "early records share one sliding window",
        reduced(SLIDING),
        run(("x", 3), ("y", 7), ("z", 1)),
        wins(
            *((0, 10, "x", 3), (4, 14, "y", 7), (0, 10, "xy", 7)),
            *((2, 12, "xy", 7), (0, 10, "xyz", 7)),
        ),
    ),
    Case(
        "a record behind all of its sliding windows is dropped",
        reduced(SLIDING),
        put("in", ("a", "x", 60), ("b", "y", 44), ("b", "z", 45)),
        every("out", (("a", 50, 60), "x", 60)),
    ),
    Case(
        "sliding windows do not share an aggregate that is changed in place",
        in_place,
        run(("x", 20), ("y", 25), ("z", 22)),
        wins(
            *((10, 20, "x", 20), (21, 31, "y", 25), (15, 25, "x,y", 25)),
            *((21, 31, "y,z", 25), (15, 25, "x,y,z", 25), (12, 22, "x,z", 22), (23, 33, "y", 25)),
        ),
    ),
    Case(
        "a session grows with every record within the gap",
        counted(SESSION),
        run(("1", 5), ("2", 15), ("3", 26)),
        wins((5, 5, 1, 5), (5, 5, None, 5), (5, 15, 2, 15), (26, 26, 1, 26)),
    ),
    Case(
        "records of one time stay one session without a deletion",
        counted(SESSION),
        run(("1", 5), ("2", 5)),
        wins((5, 5, 1, 5), (5, 5, 2, 5)),
    ),
    Case(
        "two sessions become one when a record lies between them",
        merged,
        run(("x", 5), ("y", 18), ("z", 12)),
        wins((5, 5, "0x", 5), (18, 18, "0y", 18), (5, 5, None, 5), (18, 18, None, 18), (5, 18, "0|0x|0yz", 18)),
    ),
    Case(
        "a record behind the close of its session is dropped",
        counted(SESSION),
        put("in", ("a", "1", 5), ("b", "2", 30), ("a", "3", 14), ("a", "4", 15)),
        every("out", (("a", 5, 5), 1, 5), (("b", 30, 30), 1, 30), (("a", 15, 15), 1, 15)),
    ),
    Case(
        "a session made and absorbed in one batch leaves nothing",
        counted(SESSION, "settled"),
        run(("1", 5), ("2", 12)),
        wins((5, 12, 2, 12)),
        run(("3", 13)),
        wins((5, 12, None, 12), (5, 13, 3, 13)),
    ),
    Case(
        "on close each window has one result in order of start and key",
        at_close(HOPPING),
        put("in", ("b", "1", 7), ("a", "2", 8), ("a", "3", 14)),
        every("out"),
        put("in", ("c", "4", 20)),
        every("out", (("a", 0, 10), 1, 8), (("b", 0, 10), 1, 7), (("a", 5, 15), 2, 14), (("b", 5, 15), 1, 7)),
    ),
    Case(
        "a tumbling window closes when stream time reaches its end and grace",
        at_close(TUMBLING),
        run(("1", 3), ("2", 14)),
        every("out"),
        run(("3", 15)),
        wins((0, 10, 1, 3)),
    ),
    Case(
        "a sliding window closes when stream time passes its end and grace",
        at_close(SLIDING),
        run(("1", 20), ("2", 25)),
        every("out"),
        run(("3", 26)),
        wins((10, 20, 1, 20)),
    ),
    Case(
        "a session closes when stream time passes its end and gap and grace",
        at_close(SESSION),
        put("in", ("a", "1", 20), ("b", "2", 35)),
        every("out"),
        put("in", ("b", "3", 36)),
        wins((20, 20, 1, 20)),
    ),
    Case(
        "sessions close in order of end and start and key",
        at_close(SESSION),
        put("in", ("b", "1", 20), ("a", "2", 20), ("c", "3", 15), ("c", "4", 20), ("d", "5", 99)),
        every("out", (("c", 15, 20), 2, 20), (("a", 20, 20), 1, 20), (("b", 20, 20), 1, 20)),
    ),
    Case(
        "a result on close has the headers of the record that moved time on",
        at_close(TUMBLING),
        put("in", ("a", "1", 3, A), ("a", "2", 30, B)),
        every("out", (("a", 0, 10), 1, 3, B)),
    ),
    # Kafka Streams loses the results of the three below: docs/reference/differences.md
    Case(
        "a leap in time closes tumbling windows without loss",
        at_close(TUMBLING),
        put("in", ("a", "1", 3), ("b", "2", 12), ("a", "3", 1_000_000)),
        every("out", (("a", 0, 10), 1, 3), (("b", 10, 20), 1, 12)),
    ),
    Case(
        "a leap in time closes sliding windows without loss",
        at_close(SLIDING),
        run(("1", 20), ("2", 25), ("3", 1_000_000)),
        wins((10, 20, 1, 20), (15, 25, 2, 25), (21, 31, 1, 25)),
    ),
    Case(
        "a leap in time closes sessions without loss",
        at_close(SESSION),
        put("in", ("a", "1", 20), ("b", "2", 25), ("a", "3", 10_000_000)),
        every("out", (("a", 20, 20), 1, 20), (("b", 25, 25), 1, 25)),
    ),
    # Kafka Streams has forgotten what the two below look back at: docs/reference/differences.md
    Case(
        "a late record finds the sliding window before it",
        counted(SLIDING),
        put("in", ("c", "1", 35), ("a", "2", 49), ("a", "3", 50)),
        every("out", (("c", 25, 35), 1, 35), (("a", 39, 49), 1, 49), (("a", 50, 60), 1, 50), (("a", 40, 50), 2, 50)),
        put("in", ("c", "4", 38)),
        every("out", (("c", 36, 46), 1, 38)),
    ),
    Case(
        "a session is found up to the very moment it closes",
        counted(SESSION),
        put("in", ("a", "1", 20), ("b", "2", 35), ("a", "3", 30)),
        every("out", (("a", 20, 20), 1, 20), (("b", 35, 35), 1, 35), (("a", 20, 20), None, 20), (("a", 20, 30), 2, 30)),
    ),
    Case(
        "a longer retention changes no result on close",
        at_close(TUMBLING, retention="1h"),
        put("in", ("a", "1", 3), ("b", "2", 12), ("a", "3", 1_000_000)),
        every("out", (("a", 0, 10), 1, 3), (("b", 10, 20), 1, 12)),
    ),
    Case(
        "a table of windows is filtered into a store",
        stored,
        run(("1", 3), ("2", 4), ("3", 14)),
        wins((0, 10, 2, 4)),
    ),
    Case(
        "windowed keys are grouped as they are",
        counted_again,
        run(("1", 3), ("2", 4), ("3", 14)),
        wins((0, 10, 1, 3), (0, 10, 2, 4), (10, 20, 1, 14)),
    ),
    Case(
        "functions take a windowed key apart",
        taken_apart,
        put("in", ("a", "1", 3), ("a", "2", 13), ("a", "3", 14)),
        every("out", ("a-10-20", 1, 13), ("a-10-20", 2, 14)),
    ),
    Case(
        "windowed keys are read back as they were written",
        read_back(TUMBLING, hr.time_windowed(hr.STRING, "10ms")),
        put("in", ("a", "1", 3), ("a", "2", 4), ("a", "3", 14)),
        settled("out", {"a": 2}),
    ),
    Case(
        "sessions are read back as they were written",
        read_back(SESSION, hr.session_windowed(hr.STRING)),
        put("in", ("a", "1", 3), ("a", "2", 4), ("a", "3", 24)),
        settled("out", {"a": 2}),
    ),
    Case(
        "windows around numbers have the bytes of the numbers",
        numbered(TUMBLING),
        put("in", (7, "1", 3), (-7, "2", 4), (7, "3", 13)),
        every("out", ((7, 0, 10), 1, 3), ((-7, 0, 10), 1, 4)),
        put("in", (7, "4", 18)),
        every("out", ((7, 10, 20), 2, 18)),
    ),
    Case(
        "sessions around numbers have the bytes of the numbers",
        numbered(SESSION),
        put("in", (7, "1", 3), (7, "2", 4)),
        every("out"),
        put("in", (7, "3", 9)),
        every("out", ((7, 3, 3), None, 3), ((7, 3, 4), None, 4)),
    ),
    Case(
        "an unlimited window takes every record from its start on",
        counted(hr.unlimited(start=10)),
        put("in", ("a", "1", 10), ("a", "2", 10**12), ("b", "3", 11), ("a", "4", 9), ("a", "5", 12)),
        every(
            "out",
            (("a", 10, 2**63 - 1), 1, 10),
            (("a", 10, 2**63 - 1), 2, 10**12),
            (("b", 10, 2**63 - 1), 1, 11),
            (("a", 10, 2**63 - 1), 3, 10**12),
        ),
    ),
]
