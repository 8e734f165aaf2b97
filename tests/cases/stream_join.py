"""join, left_join and outer_join of two streams."""

from datetime import timedelta
from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, Topology, every, put, texts
from cases.table_join import both
from headrace.dsl import Builder
from headrace.model.windows import JoinWindows

A, B = (("from", b"a"),), (("from", b"b"),)
WITHIN = hr.join_windows("10ms", grace="5ms")
LONG = 4_000 * "-"
MANY = [("x", 19), *[(LONG + str(n), 20) for n in range(9)], (LONG, 20), ("y", 21)]


def joined(how: str, windows: JoinWindows = WITHIN) -> Topology:
    def topology(app: Builder) -> None:
        left, right = texts(app, "left"), texts(app, "right")
        methods: dict[str, Any] = {"inner": left.join, "left": left.left_join, "outer": left.outer_join}
        methods[how](right, both, windows).to("out", value=hr.STRING)

    return topology


def with_key(app: Builder) -> None:
    texts(app, "left").join(texts(app, "right"), lambda k, a, b: k + a + b, WITHIN).to("out")


def with_itself(app: Builder) -> None:
    stream = texts(app)
    stream.join(stream, lambda a, b: a + b, WITHIN).to("out")


def by_new_keys(app: Builder) -> None:
    left = texts(app, "left").select_key(lambda _, v: v[:1])
    left.left_join(texts(app, "right"), both, WITHIN).to("out", value=hr.STRING)


def final_counts(app: Builder) -> None:
    windows = texts(app, "left").group_by_key().windowed_by(hr.tumbling("10ms", grace="0ms"))
    counts = windows.count(store="counts", emit="every").suppress(hr.until_window_closes()).to_stream()
    left = counts.map(lambda window, count: (window.key, F.text(count)))
    left.outer_join(texts(app, "right"), both, hr.join_windows("1ms", grace="0ms")).to("out", value=hr.STRING)


def three(app: Builder) -> None:
    first = texts(app, "left").join(texts(app, "right"), lambda a, b: a + b, WITHIN)
    first.join(texts(app, "third"), lambda ab, c: ab + c, WITHIN).to("out")


def alone(ts: int) -> list[Any]:
    """Those of 300 records that no partner came for."""
    return [(f"{n:03}", "x+-", ts) for n in range(ts - 20, 300, 5) if n not in (7, 299)]


CASES = [
    Case(
        "a result that was held back goes before what comes at the time that let it go",
        final_counts,
        put("left", ("a", "x", 1)),
        put("right", ("b", "1", 5)),
        put("left", ("a", "x", 30)),
        put("right", ("b", "2", 30)),
        every("out", ("a", "1+-", 1), ("b", "-+1", 5)),
    ),
    Case(
        "streams meet within the window with the later time and the headers of the later record",
        joined("inner"),
        put("left", ("a", "x", 20, A)),
        every("out"),
        put("right", ("a", "1", 10, B), ("a", "2", 30), ("a", "3", 9), ("a", "4", 31), ("b", "5", 20)),
        every("out", ("a", "x+1", 20, B), ("a", "x+2", 30, ())),
    ),
    Case(
        "matches of one record come by time and then by arrival",
        joined("inner"),
        put("left", ("a", "x", 25), ("a", "y", 20), ("a", "z", 20)),
        every("out"),
        put("right", ("a", "1", 22)),
        every("out", ("a", "y+1", 22), ("a", "z+1", 22), ("a", "x+1", 25)),
    ),
    Case(
        "a joiner may take the key",
        with_key,
        put("left", ("a", "x", 1), ("b", "y", 1)),
        put("right", ("b", "1", 2)),
        every("out", ("b", "by1", 2)),
    ),
    Case(
        "before and after may differ and be negative",
        joined("inner", hr.join_windows(before=timedelta(milliseconds=-5), after="10ms", grace="1s")),
        put("left", ("a", "x", 20)),
        every("out"),
        put("right", ("a", "1", 24), ("a", "2", 25), ("a", "3", 30), ("a", "4", 31)),
        every("out", ("a", "x+2", 25), ("a", "x+3", 30)),
    ),
    Case(
        "a record that its own side left too far behind is not found any more",
        joined("inner"),
        put("left", ("a", "x", 20), ("a", "y", 46)),
        every("out"),
        put("right", ("a", "1", 20)),
        every("out"),
    ),
    # Kafka Streams loses the results of the three below: docs/reference/differences.md
    Case(
        "a record exactly on the bound is still found when its own side is that far on",
        joined("inner"),
        put("left", ("a", "x", 20), ("a", "y", 45)),
        every("out"),
        put("right", ("a", "1", 20)),
        every("out", ("a", "x+1", 20)),
    ),
    Case(
        "streams meet at equal times when the window is nothing but that",
        joined("inner", hr.join_windows("0s", grace="0s")),
        put("left", ("a", "x", 20)),
        every("out"),
        put("right", ("a", "1", 20), ("a", "2", 21)),
        every("out", ("a", "x+1", 20)),
    ),
    Case(
        "a record is kept for those that have to be later than it",
        joined("inner", hr.join_windows(before=timedelta(milliseconds=-5), after="10ms", grace="0s")),
        put("left", ("a", "x", 20), ("a", "y", 30)),
        every("out"),
        put("right", ("a", "1", 30)),
        every("out", ("a", "x+1", 30)),
    ),
    Case(
        "an inner join drops what has no key or no value",
        joined("inner"),
        put("left", (None, "x", 1), ("a", None, 1), ("a", "y", 1)),
        every("out"),
        put("right", (None, "1", 1), ("a", None, 1)),
        every("out"),
    ),
    Case(
        "a left record without a partner waits until none can come",
        joined("left"),
        put("left", ("a", "x", 20)),
        every("out"),
        put("right", ("b", "1", 35)),
        every("out"),
        put("right", ("b", "2", 36, B)),
        every("out", ("a", "x+-", 20, B)),
    ),
    Case(
        "a left record with a partner is not sent on alone",
        joined("left"),
        put("left", ("a", "x", 20), ("b", "y", 20)),
        every("out"),
        put("right", ("a", "1", 25)),
        every("out", ("a", "x+1", 25)),
        put("right", ("c", "2", 90)),
        every("out", ("b", "y+-", 20)),
    ),
    Case(
        "a left record that comes too late for a partner is sent on at once",
        joined("left"),
        put("right", ("b", "1", 50)),
        every("out"),
        put("left", ("a", "x", 39), ("a", "y", 40)),
        every("out", ("a", "x+-", 39)),
    ),
    Case(
        "a record without a key has no partner",
        joined("left"),
        put("left", (None, "x", 20), (None, None, 20)),
        every("out", (None, "x+-", 20)),
        put("right", (None, "1", 20)),
        every("out"),
    ),
    Case(
        "an outer join keeps both sides and the right leaves first",
        joined("outer"),
        put("left", ("a", "x", 20), ("b", "y", 20)),
        every("out"),
        put("right", ("c", "1", 20), (None, "2", 21), ("b", "3", 36)),
        every("out", (None, "-+2", 21), ("c", "-+1", 20), ("a", "x+-", 20), ("b", "y+-", 20)),
    ),
    Case(
        "the sides of an outer join wait for as long as their partners may come",
        joined("outer", hr.join_windows(before="5ms", after="20ms")),
        put("left", ("a", "x", 20)),
        every("out"),
        put("right", ("b", "1", 20), ("c", "2", 26)),
        every("out", ("b", "-+1", 20)),
        put("left", ("d", "y", 41)),
        every("out", ("a", "x+-", 20), ("c", "-+2", 26)),
    ),
    Case(
        "a stream joins itself",
        with_itself,
        put("in", ("a", "x", 1), ("a", "y", 2), ("b", "z", 3)),
        every("out", ("a", "xx", 1), ("a", "yx", 2), ("a", "xy", 2), ("a", "yy", 2), ("b", "zz", 3)),
    ),
    Case(
        "a left join by new keys keeps the records that got none",
        by_new_keys,
        put("left", ("1", "x", 20), ("2", "y", 20)),
        every("out"),
        put("right", ("x", "1", 21), ("z", "2", 50)),
        every("out", ("x", "x+1", 21), ("y", "y+-", 20)),
    ),
    Case(
        "a joined stream joins another",
        three,
        put("left", ("a", "x", 20)),
        every("out"),
        put("right", ("a", "1", 25)),
        every("out"),
        put("third", ("a", "!", 30), ("a", "?", 36)),
        every("out", ("a", "x1!", 30)),
    ),
    Case(
        "a key finds its partners among many and long ones",
        joined("inner"),
        put("left", *[("a", LONG + str(n), 20) for n in range(9)]),
        put("left", ("a", "x", 19), ("a", LONG, 20), ("a", "y", 21)),
        every("out"),
        put("right", ("a", "1", 20), ("a", "2", 31)),
        every("out", *[("a", f"{left}+1", max(ts, 20)) for left, ts in MANY], ("a", "y+2", 31)),
    ),
    Case(
        "many records wait for partners, and leave in the order of their times and keys",
        joined("outer"),
        put("left", *[(f"{n:03}", "x", 20 + n % 5) for n in reversed(range(300))]),
        every("out"),
        put("right", ("007", "1", 22), ("299", "2", 24), ("z", "3", 24)),
        every("out", ("007", "x+1", 22), ("299", "x+2", 24)),
        put("right", ("y", "4", 38)),
        every("out", *alone(20), *alone(21), *alone(22)),
        put("left", ("x", "5", 60)),
        every("out", *alone(23), ("z", "-+3", 24), *alone(24), ("y", "-+4", 38)),
    ),
]
