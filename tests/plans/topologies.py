"""Topologies whose plans are kept as text."""

from __future__ import annotations

import re
from collections.abc import Callable

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder


def word_count(app: Builder) -> None:
    """A new key is looked at by a count."""
    words = app.stream("lines", value=hr.STRING).flat_map_values(lambda line: line.lower().split())
    words.group_by(lambda _, word: word).count(store="counts").to_stream().to("counts", value=hr.INT64)


def unchanged_key(app: Builder) -> None:
    """Nothing moves."""
    clicks = app.stream(["clicks", "taps"], key=hr.STRING, value=hr.STRING).filter(hr.value != "")
    clicks.group_by_key().count(store="by-user", emit="every").to_stream().to("by-user")


def shared_key(app: Builder) -> None:
    """One new key, several who look at it: it moves once."""
    by_word = app.stream("lines", key=hr.STRING, value=hr.STRING).select_key(lambda _, v: v)
    by_word.group_by_key().count(store="all").to_stream().to("all")
    by_word.group_by_key().count(store="again")
    by_word.filter(lambda k, _: k > "m").group_by_key().count(store="high").to_stream().to("high")


def all_ways(app: Builder) -> None:
    """Branches, a merge, a repartition by hand, counts of counts, a topic for each record."""
    orders = app.stream(re.compile("orders-.*"), key=hr.STRING, value=hr.INT64, name="orders")
    ways = orders.split("orders-").branch(hr.value > 100, name="big").default_branch("small")
    both = ways["orders-big"].peek(hr.value).merge(ways["orders-small"].map_values(lambda v: v * 2))
    counts = both.repartition(3, name="spread").group_by_key().count(store="first").to_stream()
    counts.group_by(lambda _, n: n).count(store="second").to_stream().to(F.text(hr.key), name="by-count")
    counts.flat_map(lambda k, n: [(k, n), (F.text(n), n)]).to("pairs")


def processors(app: Builder) -> None:
    """Processors that share a store are one piece, a global store is its own, and new keys move behind a processor."""
    seen = hr.stores.key_value("seen", key=hr.STRING, value=hr.STRING)
    names = hr.stores.key_value("names", key=hr.STRING, value=hr.STRING)
    app.add_state_store(seen)
    app.add_global_store(names, "names", nothing)
    texts = app.stream("texts", key=hr.STRING, value=hr.STRING).process(nothing, stores=("seen",), key=hr.STRING)
    texts.group_by_key().count(store="counts")
    app.stream("asked").process_values(nothing, stores=("seen",)).to("answers", value=hr.STRING)
    app.topology.add_processor("beside", nothing, "asked", stores=("counts",))
    app.table("users", key=hr.STRING).transform_values(lambda v: v, value=hr.BYTES, store="seconds")


def nothing(record: hr.Record) -> None:
    """Sends on nothing."""


async def waited(value: str) -> str:
    return value


def slow(app: Builder) -> None:
    """Calls that wait and batches leave keys alone: nothing moves behind them."""
    texts = app.stream("texts", key=hr.STRING, value=hr.STRING).map_values(waited, timeout="2s", retries=3)
    texts.errors().to("failed")
    texts.map_batches(lambda table: table, value=hr.STRING, size=10).group_by_key().count(store="counts")


def moved_once(app: Builder) -> None:
    """Filters, branches and new values between a key and several who look at it; a sink or a hand keeps its own."""
    by_word = app.stream("lines", key=hr.STRING, value=hr.STRING).select_key(lambda _, v: v)
    ways = by_word.split("w-").branch(lambda k, _: k > "m", name="high").default_branch("low")
    ways["w-high"].map_values(lambda v: v + "!").group_by_key().count(store="high")
    ways["w-low"].left_join(app.table("users", key=hr.STRING, value=hr.STRING), lambda a, _: a + "!").to("low")
    seen = by_word.filter(lambda _, v: v != "", name="seen")
    seen.to("seen")
    seen.group_by_key().count(store="seen")
    by_word.repartition(2, name="by-hand").group_by_key().count(store="spread")


def joined_tables(app: Builder) -> None:
    """Tables from topics, one with itself, and a stream with itself."""
    users, versions = (
        app.table("users", key=hr.STRING, value=hr.STRING, store="users"),
        app.versioned_table("prices", key=hr.STRING, value=hr.STRING, history="1h"),
    )
    users.join([users, versions], lambda a, b, c: a + b + c).to_stream().to("joined")
    clicks = app.stream("clicks", key=hr.STRING, value=hr.STRING)
    clicks.join(clicks, lambda a, b: a + b, hr.join_windows("1s")).to("pairs")
    globe = app.global_table("globe", key=hr.STRING, value=hr.STRING)
    clicks.join(globe, lambda a, b: a + b, on=lambda click: click[:1]).to("placed")


TOPOLOGIES: tuple[Callable[[Builder], None], ...] = (
    word_count,
    unchanged_key,
    shared_key,
    all_ways,
    processors,
    slow,
    moved_once,
    joined_tables,
)
