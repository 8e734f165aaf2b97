"""late, errors and expired: side outputs of operators."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, Topology, every, put, texts
from headrace.dsl import Builder, KStream
from headrace.model.windows import Windows

H = (("h", b"1"),)


def late(windows: Windows, **options: Any) -> Topology:
    def topology(app: Builder) -> None:
        counts = texts(app).group_by_key().windowed_by(windows).count(store="n", emit="every", **options)
        counts.to_stream().to("out")
        counts.late().to("late")

    return topology


def late_of_cogroup(app: Builder) -> None:
    left, right = texts(app, "left").group_by_key(), texts(app, "right").group_by_key()
    both = left.cogroup(lambda _, v, text: text + v).cogroup(right, lambda _, v, text: text + v)
    both.windowed_by(hr.tumbling("10ms")).aggregate("", store="n").late().to("late")


def late_of_join(app: Builder) -> None:
    pairs = texts(app, "left").join(texts(app, "right"), lambda a, b: a + b, hr.join_windows("10ms", grace="5ms"))
    pairs.to("out")
    pairs.late().to("late")


def late_of_self_join(app: Builder) -> None:
    stream = texts(app)
    pairs = stream.join(stream, lambda a, b: a + b, hr.join_windows("10ms"), store="pairs")
    pairs.to("out")
    pairs.late().to("late")


def late_of_many(app: Builder) -> None:
    first, second, third = (texts(app, topic) for topic in ("first", "second", "third"))
    joined = first.join([second, third], lambda a, b, c: a + b + c, hr.join_windows("10ms"), name="joined")
    joined.to("out")
    joined.late().map_values(lambda v: str(v)).to("late", value=hr.STRING)


def late_of_versions(app: Builder) -> None:
    app.versioned_table("in", key=hr.STRING, value=hr.STRING, history="10ms").late().to("late")


def late_again(app: Builder) -> None:
    """Late records are records: counted by a key of their own, in tasks of their own."""
    counts = texts(app).group_by(lambda _, v: v).windowed_by(hr.tumbling("10ms")).count(store="n")
    late = counts.late()
    late.group_by_key().count(store="late-n", emit="every").to_stream().to("late")


def inverse(values: KStream[str, str]) -> KStream[str, int]:
    return values.map_values(lambda v: 100 // F.integer(v))


def failing(app: Builder) -> None:
    numbers = inverse(texts(app))
    numbers.to("out")
    failed(numbers)


def failed(stream: Any) -> None:
    stream.errors().map_values(lambda f: f.node + ": " + f.value + " " + f.error).to("failed")


def failing_filter(app: Builder) -> None:
    big = texts(app).filter(F.integer(hr.value) > 5)
    big.to("out")
    failed(big)


def failing_key(app: Builder) -> None:
    """What fails keeps the key that it had, so it need not move."""
    keyed = texts(app).select_key(lambda _, v: F.integer(v))
    keyed.to("out")
    keyed.errors().group_by_key().count(store="failures", emit="every").to_stream().to("failed")


def failing_branch(app: Builder) -> None:
    ways = texts(app).split("ways-").branch(F.integer(hr.value) > 5, name="big").default_branch("small")
    ways["ways-big"].to("out")
    failed(ways["ways-small"])


def failing_aggregate(app: Builder) -> None:
    total = texts(app).group_by_key().aggregate(0, lambda _, v, n: n + F.integer(v), store="total", emit="every")
    total.to_stream().to("out")
    failed(total)


def failing_windows(windows: Windows) -> Topology:
    def topology(app: Builder) -> None:
        merger = (lambda _, a, b: a + b) if "session" in str(windows) else None
        total = (
            texts(app)
            .group_by_key()
            .windowed_by(windows)
            .aggregate(0, lambda _, v, n: n + F.integer(v), merger=merger, store="total", emit="every")
        )
        total.to_stream().to("out")
        failed(total)

    return topology


def failing_table(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows", emit="every")
    numbers = table.map_values(lambda v: 100 // F.integer(v))
    numbers.to_stream().to("out")
    failed(numbers)


def failing_rows_summed(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows", emit="every")
    numbers = table.map_values(lambda v: 100 // F.integer(v))
    grouped = numbers.group_by(lambda _, n: ("all", n))
    grouped.reduce(lambda a, b: a + b, lambda a, b: a - b, store="sum", emit="every").to_stream().to("out")
    failed(numbers)


def failing_rows_joined(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows", emit="every")
    numbers = table.map_values(lambda v: 100 // F.integer(v))
    others = app.table("other", key=hr.STRING, value=hr.STRING, store="others", emit="every")
    others.left_join(numbers, lambda other, n: other + F.text(n)).to_stream().to("out")
    failed(numbers)


def failing_table_join(app: Builder) -> None:
    left, right = (
        app.table(topic, key=hr.STRING, value=hr.STRING, store=topic, emit="every") for topic in ("left", "right")
    )
    joined = left.join(right, lambda a, b: F.integer(a) // F.integer(b))
    joined.to_stream().to("out")
    failed(joined)


def failing_join(app: Builder) -> None:
    joined = texts(app, "left").left_join(
        texts(app, "right"),
        lambda a, b: F.integer(a) + F.if_null(F.integer(b), 0),
        hr.join_windows("10ms"),
    )
    joined.to("out")
    failed(joined)


def failing_child(app: Builder) -> None:
    def choose(record: hr.Record, context: hr.ProcessorContext) -> None:
        context.forward(record, to="number")

    numbers = texts(app).process(choose, key=hr.STRING, value=hr.STRING)
    shares = numbers.map_values(lambda v: 100 // F.integer(v), name="number")
    shares.to("out")
    failed(shares)


def failing_sliding(app: Builder) -> None:
    windows = texts(app).group_by_key().windowed_by(hr.sliding("10ms", grace="1s"))
    shares = windows.aggregate(12, lambda _, v, n: 12 // (n - F.integer(v)), store="shares", emit="every")
    shares.to_stream(lambda window, _: window.key).to("out")
    failed(shares)


def failing_lookup(app: Builder) -> None:
    prices = app.versioned_table("prices", key=hr.STRING, value=hr.STRING, history="1h")
    joined = texts(app).join(prices, lambda v, price: F.integer(v) * F.integer(price), grace="10ms")
    joined.to("out")
    failed(joined)


def failing_foreign_key(app: Builder) -> None:
    orders = app.table("orders", key=hr.STRING, value=hr.STRING, store="orders", emit="every")
    users = app.table("users", key=hr.INT64, value=hr.STRING, store="users", emit="every")
    joined = orders.join(
        users, lambda order, user: F.text(2 // F.integer(order)) + " " + user, on=lambda order: F.integer(order)
    )
    joined.to_stream().to("out")
    failed(joined)


def expired(windows: Windows, **options: Any) -> Topology:
    def topology(app: Builder) -> None:
        counts = texts(app).group_by_key().windowed_by(windows).count(store="n", emit="every", **options)
        counts.expired().to("expired")

    return topology


def expired_of_cogroup(app: Builder) -> None:
    left, right = texts(app, "left").group_by_key(), texts(app, "right").group_by_key()
    both = left.cogroup(lambda _, v, text: text + v).cogroup(right, lambda _, v, text: text + v)
    both.windowed_by(hr.tumbling("10ms")).aggregate("", store="n").expired().to("expired")


CASES = [
    Case(
        "a record that fails in one of its sliding windows is in none of them",
        failing_sliding,
        put("in", ("a", "10", 20), ("a", "6", 25)),
        every("out", ("a", 6, 20)),
        every("failed", ("a", "shares: 6 ZeroDivisionError", 25)),
        put("in", ("a", "0", 26)),
        every("out", ("a", 1, 26), ("a", 2, 26)),
    ),
    Case(
        "a join of many has the late records of all its joins",
        late_of_many,
        put("first", ("a", "x", 0), ("a", "y", 100), ("a", "late", 0)),
        put("third", ("a", "w", 200), ("a", "late too", 0)),
        every("late", ("a", "late", 0), ("a", "late too", 0)),
    ),
    Case(
        "a late record of a stream that is joined with itself is late once, and not at all if it meets itself",
        late_of_self_join,
        put("in", ("a", "x", 1), ("a", "y", 100), ("a", "z", 2), ("a", "w", 85)),
        every("out", ("a", "xx", 1), ("a", "yy", 100), ("a", "ww", 85)),
        every("late", ("a", "z", 2)),
    ),
    Case(
        "a child that a processor names sends what fails there to where failures are read, as any other does",
        failing_child,
        put("in", ("a", "4", 1), ("a", "x", 2), ("a", "5", 3)),
        every("out", ("a", 25, 1), ("a", 20, 3)),
        every("failed", ("a", "number: x ValueError", 2)),
    ),
    Case(
        "a late record is a record of a stream as it was",
        late(hr.tumbling("10ms", grace="5ms")),
        put("in", ("a", "1", 3), ("a", "2", 15), ("a", "3", 9, H), ("b", None, 4), (None, "4", 1)),
        every("out", (("a", 0, 10), 1, 3), (("a", 10, 20), 1, 15)),
        every("late", ("a", "3", 9, H), ("b", None, 4)),
    ),
    Case(
        "a record that one hopping window still takes is not late",
        late(hr.hopping("10ms", advance="5ms")),
        put("in", ("a", "1", 20), ("a", "2", 16), ("a", "3", 9)),
        every("late", ("a", "3", 9)),
    ),
    Case(
        "late records of sliding windows",
        late(hr.sliding("10ms")),
        put("in", ("a", "1", 50), ("a", "2", 45), ("a", "3", 39)),
        every("late", ("a", "3", 39)),
    ),
    Case(
        "late records of sessions",
        late(hr.session("10ms")),
        put("in", ("a", "1", 50), ("a", "2", 45), ("a", "3", 30)),
        every("late", ("a", "3", 30)),
    ),
    Case(
        "late records of all streams of a windowed cogroup",
        late_of_cogroup,
        put("left", ("a", "1", 15), ("a", "2", 3)),
        put("right", ("b", "3", 25), ("b", "4", 9)),
        every("late", ("a", "2", 3), ("b", "4", 9)),
    ),
    Case(
        "a record of a join that comes too late for any partner and finds none",
        late_of_join,
        put("left", ("a", "1", 100)),
        put("right", ("b", "2", 84), ("a", "3", 110), ("b", "4", 94), ("c", "5", 95)),
        every("out", ("a", "13", 110)),
        every("late", ("b", "4", 94)),
    ),
    Case(
        "late records of a versioned table",
        late_of_versions,
        put("in", ("a", "1", 100), ("b", "2", 90), ("c", "3", 89)),
        every("late", ("c", "3", 89)),
    ),
    Case(
        "late records are counted by the key they were grouped by",
        late_again,
        put("in", ("a", "x", 50), ("b", "y", 3), ("c", "y", 4)),
        every("late", ("y", 1, 3), ("y", 2, 4)),
    ),
    Case(
        "a record that fails is a record of a stream and those after it go on",
        failing,
        put("in", ("a", "5", 1), ("b", "0", 2, H), ("c", "no", 3), ("d", "2", 4)),
        every("out", ("a", 20, 1), ("d", 50, 4)),
        every(
            "failed",
            ("b", "in.map_values: 0 ZeroDivisionError", 2, H),
            ("c", "in.map_values: no ValueError", 3),
        ),
    ),
    Case(
        "failures of a predicate",
        failing_filter,
        put("in", ("a", "5", 1), ("b", "no", 2), ("c", "6", 3)),
        every("out", ("c", "6", 3)),
        every("failed", ("b", "in.filter: no ValueError", 2)),
    ),
    Case(
        "what fails to get a new key keeps the old one",
        failing_key,
        put("in", ("a", "5", 1), ("b", "no", 2), ("b", "never", 3)),
        every("out", (5, "5", 1)),
        every("failed", ("b", 1, 2), ("b", 2, 3)),
    ),
    Case(
        "failures of a split are read at any branch",
        failing_branch,
        put("in", ("a", "5", 1), ("b", "no", 2), ("c", "6", 3)),
        every("out", ("c", "6", 3)),
        every("failed", ("b", "in.split: no ValueError", 2)),
    ),
    Case(
        "an aggregate is as it was before the record that failed",
        failing_aggregate,
        put("in", ("a", "5", 1), ("a", "no", 2), ("a", "6", 3)),
        every("out", ("a", 5, 1), ("a", 11, 3)),
        every("failed", ("a", "total: no ValueError", 2)),
    ),
    Case(
        "hopping windows are as they were before the record that failed",
        failing_windows(hr.hopping("10ms", advance="5ms")),
        put("in", ("a", "5", 7), ("a", "no", 8), ("a", "6", 9)),
        every("out", (("a", 0, 10), 5, 7), (("a", 5, 15), 5, 7), (("a", 0, 10), 11, 9), (("a", 5, 15), 11, 9)),
        every("failed", ("a", "total: no ValueError", 8)),
    ),
    Case(
        "sessions are as they were before the record that failed",
        failing_windows(hr.session("10ms", grace="1s")),
        put("in", ("a", "5", 0), ("a", "no", 8), ("a", "6", 9)),
        every("out", (("a", 0, 0), 5, 0), (("a", 0, 0), None, 0), (("a", 0, 9), 11, 9)),
        every("failed", ("a", "total: no ValueError", 8)),
    ),
    Case(
        "a row that fails is not in the table and its failure has the new value",
        failing_table,
        put("in", ("a", "5", 1), ("a", "0", 2), ("b", "2", 3)),
        every("out", ("a", 20, 1), ("a", None, 2), ("b", 50, 3)),
        every("failed", ("a", "in.map_values: 0 ZeroDivisionError", 2)),
    ),
    Case(
        "a pair that fails takes nothing from the other pairs of a join",
        failing_join,
        put("left", ("a", "1", 1), ("b", "no", 2, H)),
        put("right", ("a", "x", 3, H), ("a", "2", 4)),
        every("out", ("a", 3, 4)),
        every("failed", ("a", "left.left_join: x ValueError", 3, H)),
        put("left", ("c", "3", 99)),
        every("out"),
        every("failed", ("b", "left.left_join: no ValueError", 2)),
    ),
    Case(
        "a record that fails after it has waited does not hold up the others",
        failing_lookup,
        put("prices", ("a", "2", 0)),
        put("in", ("a", "no", 1, H), ("a", "5", 2), ("a", "7", 30)),
        every("out", ("a", 10, 2)),
        every("failed", ("a", "in.join: no ValueError", 1, H)),
    ),
    Case(
        "failures of a foreign key",
        failing_foreign_key,
        put("users", (1, "ann", 0)),
        put("orders", ("a", "1", 1), ("b", "no", 2)),
        every("out", ("a", "2 ann", 1)),
        every("failed", ("b", "orders.join.subscribe: no ValueError", 2)),
    ),
    Case(
        "a window that the store forgets is a record with its last value",
        expired(hr.tumbling("10ms"), retention="20ms"),
        put("in", ("b", "1", 3), ("a", "2", 4), ("a", "3", 5), ("a", "4", 19)),
        every("expired"),
        put("in", ("a", "5", 20, H), ("a", "6", 99)),
        every(
            "expired",
            (("a", 0, 10), 2, 5, H),
            (("b", 0, 10), 1, 3, H),
            (("a", 10, 20), 1, 19, ()),
            (("a", 20, 30), 1, 20),
        ),
    ),
    Case(
        "sessions that the store forgets",
        expired(hr.session("10ms"), retention="20ms"),
        put("in", ("a", "1", 3), ("a", "2", 8), ("b", "3", 99)),
        every("expired", (("a", 3, 8), 2, 8)),
    ),
    Case(
        "windows of a cogroup that the store forgets",
        expired_of_cogroup,
        put("left", ("a", "1", 3)),
        put("right", ("a", "2", 4), ("b", "3", 25)),
        every("expired", (("a", 0, 10), "12", 4)),
    ),
    Case(
        "a row that fails is taken out of an aggregate and its successor put in",
        failing_rows_summed,
        put("in", ("a", "5", 1), ("b", "4", 2), ("a", "0", 3), ("a", "2", 4)),
        every("out", ("all", 20, 1), ("all", 45, 2), ("all", 25, 3), ("all", 75, 4)),
        every("failed", ("a", "in.map_values: 0 ZeroDivisionError", 3)),
    ),
    Case(
        "a row that fails is not found by a join and its failure is told once",
        failing_rows_joined,
        put("in", ("a", "0", 1)),
        put("other", ("a", "x", 2), ("a", "y", 3)),
        put("in", ("a", "5", 4)),
        every("out", ("a", "xNone", 2), ("a", "yNone", 3), ("a", "y20", 4)),
        every("failed", ("a", "in.map_values: 0 ZeroDivisionError", 1)),
    ),
    Case(
        "a row whose join fails is deleted until it fits again",
        failing_table_join,
        put("left", ("a", "6", 1)),
        put("right", ("a", "2", 2), ("a", "0", 3), ("a", "3", 4)),
        every("out", ("a", 3, 2), ("a", None, 3), ("a", 2, 4)),
        every("failed", ("a", "left.join: 0 ZeroDivisionError", 3)),
    ),
    Case(
        "a failure of a foreign key join has the left row",
        failing_foreign_key,
        put("users", (0, "zero", 0), (2, "two", 0)),
        put("orders", ("a", "2", 1), ("b", "0", 2)),
        every("out", ("a", "1 two", 1), ("b", None, 2)),
        every("failed", ("b", "orders.join: 0 ZeroDivisionError", 2)),
    ),
]
