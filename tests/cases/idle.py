"""idle_after: after a silence by the clock, stream time follows it."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, Topology, clock, every, put, texts
from headrace.dsl import Builder
from headrace.model.windows import Windows


def closing(windows: Windows) -> Topology:
    def topology(app: Builder) -> None:
        closing = texts(app).group_by_key().windowed_by(windows).emit_strategy(hr.on_window_close())
        closing.count(store="n").to_stream().to("out")

    return topology


def counted(windows: Windows) -> Topology:
    return lambda app: texts(app).group_by_key().windowed_by(windows).count(store="n").to_stream().to("out")


def suppressed(app: Builder) -> None:
    windows = hr.tumbling("10ms", grace="5ms", idle_after="30s")
    counts = texts(app).group_by_key().windowed_by(windows).count(store="n")
    counts.filter(lambda _, n: n > 1).suppress(hr.until_window_closes()).to_stream().to("out")


def limited(app: Builder) -> None:
    table = texts(app).to_table(emit="every")
    table.suppress(hr.until_time_limit("40s", idle_after="30s")).to_stream().to("out")


def cogrouped(app: Builder) -> None:
    left, right = texts(app, "left").group_by_key(), texts(app, "right").group_by_key()
    both = left.cogroup(lambda _, v, text: text + v).cogroup(right, lambda _, v, text: text + v)
    table = both.windowed_by(hr.tumbling("10ms", idle_after="30s")).aggregate("", store="n")
    table.suppress(hr.until_window_closes()).to_stream().to("out")


def joined(how: str) -> Topology:
    def topology(app: Builder) -> None:
        left, right = texts(app, "left"), texts(app, "right")
        windows = hr.join_windows("10ms", grace="5ms", idle_after="30s")
        joiner = lambda a, b: F.coalesce(a, "-") + "+" + F.coalesce(b, "-")  # noqa: E731
        getattr(left, how)(right, joiner, windows).to("out")

    return topology


def looked_up(app: Builder) -> None:
    prices = app.versioned_table("prices", key=hr.STRING, value=hr.STRING, history="1h")
    pairs = texts(app, "left").join(texts(app, "right"), lambda a, b: a + b, hr.join_windows("10ms", idle_after="30s"))
    pairs.join(prices, lambda pair, price: pair + " at " + price, grace="10ms").to("out")


CASES = [
    Case(
        "a window closes after a silence by the clock from where stream time stood",
        closing(hr.tumbling("10s", grace="5s", idle_after="30s")),
        put("in", ("a", "1", 1_000_003)),
        clock("29999ms"),
        every("out"),
        clock("1ms"),
        every("out", (("a", 1_000_000, 1_010_000), 1, 1_000_003)),
        clock("1h"),
        every("out"),
    ),
    Case(
        "idle time is counted from the last record on and moves at every tick",
        closing(hr.tumbling("60s", idle_after="30s")),
        put("in", ("a", "1", 0)),
        every("out"),
        clock("20s"),
        put("in", ("a", "2", 1)),
        every("out"),
        clock("29s"),
        every("out"),
        clock("30s"),
        every("out"),
        clock("998ms"),
        every("out"),
        clock("1ms"),
        every("out", (("a", 0, 60_000), 2, 1)),
    ),
    Case(
        "a record behind the clock's stream time is late as any other",
        counted(hr.tumbling("10ms", idle_after="30s")),
        put("in", ("a", "1", 5)),
        every("out", (("a", 0, 10), 1, 5)),
        clock("30s"),
        put("in", ("a", "2", 6), ("a", "3", 40_000)),
        every("out", (("a", 40_000, 40_010), 1, 40_000)),
    ),
    Case(
        "before the first record there is no time to follow",
        closing(hr.tumbling("10ms", idle_after="30s")),
        clock("1h"),
        put("in", ("a", "1", 5), ("a", "2", 6)),
        every("out"),
        clock("30s"),
        every("out", (("a", 0, 10), 2, 6)),
    ),
    Case(
        "sliding windows close after a silence",
        closing(hr.sliding("10ms", idle_after="30s")),
        put("in", ("a", "1", 20), ("a", "2", 25)),
        every("out", (("a", 10, 20), 1, 20)),
        clock("30s"),
        every("out", (("a", 15, 25), 2, 25), (("a", 21, 31), 1, 25)),
    ),
    Case(
        "sessions close after a silence",
        closing(hr.session("10ms", idle_after="30s")),
        put("in", ("a", "1", 20), ("a", "2", 25), ("b", "3", 1)),
        every("out"),
        clock("30s"),
        every("out", (("a", 20, 25), 2, 25)),
    ),
    Case(
        "suppress follows the windows in front of it",
        suppressed,
        put("in", ("a", "1", 3), ("b", "2", 4), ("a", "3", 5)),
        every("out"),
        clock("30s"),
        every("out", (("a", 0, 10), 2, 5)),
    ),
    Case(
        "suppress follows a windowed cogroup",
        cogrouped,
        put("left", ("a", "1", 3)),
        put("right", ("a", "2", 4)),
        every("out"),
        clock("30s"),
        every("out", (("a", 0, 10), "12", 4)),
    ),
    Case(
        "a time limit is reached by the clock after a silence",
        limited,
        put("in", ("a", "1", 0), ("a", "2", 5)),
        clock("39s"),
        every("out"),
        clock("995ms"),
        every("out", ("a", "2", 5)),
    ),
    Case(
        "a left join gives up waiting after a silence of both sides",
        joined("left_join"),
        put("left", ("a", "1", 100), ("b", "2", 101)),
        put("right", ("b", "3", 102)),
        every("out", ("b", "2+3", 102)),
        clock("20s"),
        put("right", ("c", "4", 90)),
        every("out"),
        clock("29s"),
        every("out"),
        clock("1s"),
        every("out", ("a", "1+-", 100)),
    ),
    Case(
        "an outer join gives up waiting after a silence of both sides",
        joined("outer_join"),
        put("left", ("a", "1", 100)),
        put("right", ("c", "4", 101)),
        clock("30s"),
        every("out", ("a", "1+-", 100), ("c", "-+4", 101)),
    ),
    Case(
        "the grace of a join with a table follows the join in front of it",
        looked_up,
        put("left", ("a", "1", 100)),
        put("right", ("a", "2", 101)),
        put("prices", ("a", "9", 100)),
        every("out"),
        clock("30s"),
        every("out", ("a", "12 at 9", 101)),
    ),
]
