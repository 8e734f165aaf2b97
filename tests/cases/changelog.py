"""The changelogs of stores: their rows as each batch leaves them, whatever is sent on."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, Step, Topology, every, put, settled, texts
from headrace.dsl import Builder
from headrace.model.windows import Windowed

LOG = "shop-n-changelog"


def logged(title: str, topology: Topology, *steps: Step) -> Case:
    """A case of an application that is called shop."""
    return Case(title, topology, *steps, app="shop")


def counted(app: Builder) -> None:
    texts(app).group_by_key().count(store="n")


def counted_and_sent(app: Builder) -> None:
    texts(app).group_by_key().count(store="n", emit="every").to_stream().to("out")


def reduced(app: Builder) -> None:
    joined = (
        texts(app)
        .group_by_key()
        .reduce(lambda so_far, more: hr.when(more == "!", None).otherwise(so_far + more), store="n")
    )
    joined.to_stream().to("out")


def listed(app: Builder) -> None:
    app.table("in", key=hr.STRING, value=hr.STRING).map_values(lambda v: v.split(), store="n")


def cogrouped(app: Builder) -> None:
    grouped = texts(app).group_by_key().cogroup(lambda _, __, n: n + 1)
    grouped.cogroup(texts(app, "more").group_by_key(), lambda _, __, n: n + 10).aggregate(0, store="n")


def read(app: Builder) -> None:
    app.table("in", key=hr.STRING, value=hr.STRING, store="n")


def made_of_a_stream(app: Builder) -> None:
    texts(app).select_key(lambda _, v: v).to_table(store="n")


def lasting(app: Builder) -> None:
    app.table("in", key=hr.STRING, value=hr.STRING, store="n", ttl="10s")


def versioned(app: Builder) -> None:
    app.versioned_table("in", key=hr.STRING, value=hr.STRING, history="1m", store="n")


def filtered(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING)
    table.filter(lambda _, v: v > "m", store="n")


def mapped(app: Builder) -> None:
    table = app.table("in", key=hr.INT32, value=hr.STRING)
    table.map_values(lambda v: {"text": v, "size": F.length(v)}, store="n")


def transformed(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING)
    table.transform_values(lambda v: None if v is None else v.upper(), value=hr.STRING, store="n")


def joined(app: Builder) -> None:
    left, right = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("in", "more"))
    left.join(right, lambda a, b: a + b, store="n")


def joined_by_foreign_key(app: Builder) -> None:
    left, right = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("in", "more"))
    left.join(right, lambda a, b: a + b, on=lambda a: a[:1], store="n")


def groups_of_a_table(app: Builder) -> None:
    app.table("in", key=hr.STRING, value=hr.STRING).group_by(lambda k, v: (v, k)).count(store="n")


def tumbling(app: Builder) -> Any:
    return texts(app).group_by_key().windowed_by(hr.tumbling("10s"))


def windows(app: Builder) -> None:
    tumbling(app).count(store="n", emit="every", retention="1m")


def final_windows(app: Builder) -> None:
    tumbling(app).emit_strategy(hr.on_window_close()).count(store="n").to_stream().to("out")


def suppressed(app: Builder) -> None:
    tumbling(app).count(store="n").suppress(hr.until_window_closes()).to_stream().to("out")


def short_windows(app: Builder) -> None:
    tumbling(app).count(store="n", emit="every").to_stream().to("out")


def sliding(app: Builder) -> None:
    texts(app).group_by_key().windowed_by(hr.sliding("10s")).count(store="n")


def sessions(app: Builder) -> None:
    texts(app).group_by_key().windowed_by(hr.session("5s")).count(store="n")


def final_sessions(app: Builder) -> None:
    ended = texts(app).group_by_key().windowed_by(hr.session("5s")).emit_strategy(hr.on_window_close())
    ended.count(store="n").to_stream().to("out")


def windowed_cogroup(app: Builder) -> None:
    grouped = texts(app).group_by_key().cogroup(lambda _, __, n: n + 1)
    both = grouped.cogroup(texts(app, "more").group_by_key(), lambda _, __, n: n + 10)
    both.windowed_by(hr.tumbling("10s")).aggregate(0, store="n")


def filtered_windows(app: Builder) -> None:
    tumbling(app).count(store="all").filter(lambda _, n: n > 1, store="n")


def windows_of_a_function(app: Builder) -> None:
    counts = tumbling(app).count(store="all")
    counts.group_by(lambda at, n: (hr.Windowed(at.key[:1], at.start, at.end), n)).count(store="n")


def without_bytes(app: Builder) -> None:
    shown = texts(app).group_by_key().aggregate(lambda: Seen(), seen, store="n")
    shown.to_stream().map_values(lambda one: str(one.count)).to("out", value=hr.STRING)


class Seen:
    """A class that no serde knows."""

    def __init__(self) -> None:
        self.count = 0


def seen(_: str, __: str, so_far: Seen) -> Seen:
    so_far.count += 1
    return so_far


def at(key: str, start: int, end: int) -> Windowed[str]:
    return Windowed(key, start, end)


CASES = [
    logged(
        "a batch writes the rows that it has changed, each once, with its time and no headers",
        counted,
        put("in", ("a", "x", 1_000, (("from", b"here"),)), ("b", "x", 2_000), ("a", "y", 3_000)),
        every(LOG, ("b", 1, 2_000, ()), ("a", 2, 3_000, ())),
        put("in", ("b", "x", 500)),
        every(LOG, ("b", 2, 2_000, ())),
    ),
    logged(
        "a changelog settles where every change is sent on",
        counted_and_sent,
        put("in", ("a", "x"), ("a", "y"), ("a", "z")),
        every("out", ("a", 1), ("a", 2), ("a", 3)),
        every(LOG, ("a", 3)),
    ),
    logged(
        "a row that is gone has no value in the changelog, and one that was never settled is not there",
        reduced,
        put("in", ("a", "x"), ("b", "y"), ("b", "!")),
        every(LOG, ("a", "x")),
        put("in", ("a", "!", 2_000)),
        every("out", ("a", None, 2_000)),
        every(LOG, ("a", None, 2_000)),
    ),
    logged(
        "lists are written as json",
        listed,
        put("in", ("a", "to be"), ("a", "or not")),
        every(LOG, ("a", ["or", "not"])),
    ),
    logged(
        "a cogroup has one changelog",
        cogrouped,
        put("in", ("a", "x", 1_000)),
        put("more", ("a", "x", 2_000)),
        every(LOG, ("a", 11, 2_000)),
    ),
    logged(
        "a table of a topic has a changelog of its own",
        read,
        put("in", ("a", "x"), ("b", "y"), ("a", "z")),
        every(LOG, ("b", "y"), ("a", "z")),
        put("in", ("a", None), ("c", None)),
        every(LOG, ("a", None)),
    ),
    logged(
        "a table of a stream has a changelog",
        made_of_a_stream,
        put("in", ("a", "x"), ("b", "x")),
        settled(LOG, {"x": "x"}),
    ),
    logged(
        "rows that a ttl deletes are deleted in the changelog",
        lasting,
        put("in", ("a", "x", 1_000)),
        every(LOG, ("a", "x", 1_000)),
        put("in", ("b", "y", 30_000)),
        every(LOG, ("a", None, 11_000), ("b", "y", 30_000)),
    ),
    logged(
        "the changelog of a versioned table has the newest version of each key",
        versioned,
        put("in", ("a", "x", 2_000), ("a", "early", 1_000)),
        every(LOG, ("a", "x", 2_000)),
        put("in", ("a", "earlier", 500)),
        every(LOG),
        put("in", ("a", None, 3_000), ("b", "y", 3_000), ("b", "z", 4_000)),
        every(LOG, ("a", None, 3_000), ("b", "z", 4_000)),
    ),
    logged(
        "a filtered table with a store has a changelog",
        filtered,
        put("in", ("a", "x"), ("b", "b")),
        settled(LOG, {"a": "x"}),
        put("in", ("a", "a")),
        every(LOG, ("a", None)),
    ),
    logged(
        "keys and values have the bytes of their types",
        mapped,
        put("in", (1, "abc")),
        every(LOG, (1, {"text": "abc", "size": 3})),
    ),
    logged(
        "a table of the user's own code has a changelog",
        transformed,
        put("in", ("a", "x"), ("b", "y"), ("a", None)),
        every(LOG, ("b", "Y")),
        put("in", ("b", None)),
        every(LOG, ("b", None)),
    ),
    logged(
        "a join of tables has a changelog",
        joined,
        put("in", ("a", "x", 1_000)),
        put("more", ("a", "y", 2_000)),
        settled(LOG, {"a": "xy"}),
        put("more", ("a", None, 3_000)),
        every(LOG, ("a", None, 3_000)),
    ),
    logged(
        "a join by a foreign key has a changelog",
        joined_by_foreign_key,
        put("more", ("x", "!", 1_000)),
        put("in", ("a", "x1", 2_000), ("b", "y1", 2_000)),
        settled(LOG, {"a": "x1!"}),
        put("more", ("x", None, 3_000)),
        every(LOG, ("a", None, 3_000)),
    ),
    logged(
        "groups of a table have a changelog",
        groups_of_a_table,
        put("in", ("a", "x"), ("b", "x"), ("c", "y")),
        settled(LOG, {"x": 2, "y": 1}),
        put("in", ("b", "y")),
        settled(LOG, {"x": 1, "y": 2}),
    ),
    logged(
        "windows are written with their starts",
        windows,
        put("in", ("a", "x", 1_000), ("a", "y", 2_000), ("a", "z", 12_000)),
        every(LOG, (at("a", 0, 10_000), 2, 2_000), (at("a", 10_000, 20_000), 1, 12_000)),
    ),
    logged(
        "windows that the store has forgotten are deleted in the changelog",
        short_windows,
        put("in", ("a", "x", 1_000), ("b", "x", 2_000)),
        every(LOG, (at("a", 0, 10_000), 1, 1_000), (at("b", 0, 10_000), 1, 2_000)),
        put("in", ("b", "y", 5_000), ("a", "y", 35_000), ("b", "z", 55_000)),
        every("out", (at("b", 0, 10_000), 2), (at("a", 30_000, 40_000), 1), (at("b", 50_000, 60_000), 1)),
        every(
            LOG,
            (at("b", 50_000, 60_000), 1, 55_000),
            (at("a", 0, 10_000), None, 1_000),
            (at("b", 0, 10_000), None, 2_000),
        ),
    ),
    logged(
        "open windows are in the changelog where only final results are sent on",
        final_windows,
        put("in", ("a", "x", 1_000), ("a", "y", 2_000)),
        every("out"),
        every(LOG, (at("a", 0, 10_000), 2, 2_000)),
        put("in", ("b", "x", 11_000)),
        every("out", (at("a", 0, 10_000), 2, 2_000)),
        every(LOG, (at("b", 10_000, 20_000), 1, 11_000), (at("a", 0, 10_000), None, 2_000)),
    ),
    logged(
        "open windows are in the changelog of what is suppressed",
        suppressed,
        put("in", ("a", "x", 1_000)),
        every("out"),
        every(LOG, (at("a", 0, 10_000), 1, 1_000)),
    ),
    logged(
        "sliding windows are written with their starts",
        sliding,
        put("in", ("a", "x", 12_000), ("a", "y", 15_000)),
        settled(LOG, {at("a", 2_000, 12_000): 1, at("a", 5_000, 15_000): 2, at("a", 12_001, 22_001): 1}),
    ),
    logged(
        "a session that grows is another row",
        sessions,
        put("in", ("a", "x", 1_000)),
        every(LOG, (at("a", 1_000, 1_000), 1, 1_000)),
        put("in", ("a", "y", 4_000)),
        every(LOG, (at("a", 1_000, 1_000), None, 1_000), (at("a", 1_000, 4_000), 2, 4_000)),
    ),
    logged(
        "sessions that the store has forgotten are deleted in the changelog",
        sessions,
        put("in", ("a", "x", 1_000), ("b", "x", 2_000)),
        every(LOG, (at("a", 1_000, 1_000), 1), (at("b", 2_000, 2_000), 1)),
        put("in", ("b", "y", 7_000), ("c", "x", 7_000)),
        every(
            LOG,
            (at("b", 2_000, 2_000), None, 2_000),
            (at("b", 2_000, 7_000), 2, 7_000),
            (at("c", 7_000, 7_000), 1, 7_000),
            (at("a", 1_000, 1_000), None, 1_000),
        ),
        put("in", ("c", "y", 60_000)),
        settled(LOG, {at("c", 60_000, 60_000): 1}),
    ),
    logged(
        "open sessions are in the changelog where only final results are sent on",
        final_sessions,
        put("in", ("a", "x", 1_000), ("a", "y", 4_000)),
        every("out"),
        every(LOG, (at("a", 1_000, 4_000), 2, 4_000)),
    ),
    logged(
        "a windowed cogroup has one changelog",
        windowed_cogroup,
        put("in", ("a", "x", 1_000)),
        put("more", ("a", "x", 2_000)),
        every(LOG, (at("a", 0, 10_000), 11, 2_000)),
    ),
    logged(
        "windowed keys that a function makes are written with both their times",
        windows_of_a_function,
        put("in", ("ab", "x", 1_000), ("ac", "x", 2_000), ("b", "x", 12_000)),
        settled(LOG, {at("a", 0, 10_000): 2, at("b", 10_000, 20_000): 1}),
    ),
    logged(
        "a table that is computed from windows has a changelog of windows",
        filtered_windows,
        put("in", ("a", "x", 1_000), ("b", "x", 1_000), ("a", "y", 2_000)),
        settled(LOG, {at("a", 0, 10_000): 2}),
    ),
    logged(
        "values without bytes have no changelog, and nobody minds",
        without_bytes,
        put("in", ("a", "x"), ("a", "y")),
        every("out", ("a", "2")),
    ),
]
