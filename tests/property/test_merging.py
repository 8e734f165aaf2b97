"""Streams that move together write what they wrote when each moved alone, whatever lies between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder, KStream
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.passes.merge_repartitions import merge_repartitions
from headrace.passes.place_repartitions import place_repartitions
from headrace.plan.graph import Plan
from headrace.plan.nodes import Repartition
from headrace.task.loop import Loop

Texts = KStream[str, str]

BETWEEN: list[Callable[[Texts], Texts]] = [
    lambda stream: stream.filter(hr.value > "a"),
    lambda stream: stream.map_values(lambda value: value + "!"),
    lambda stream: stream.flat_map_values(lambda value: [value, value.upper()]),
    lambda stream: stream.split().branch(hr.value < "b", name="low").default_branch("high")["high"],
    lambda stream: stream.peek(hr.value),
    lambda stream: stream.merge(stream),
    lambda stream: stream.repartition(),
    lambda stream: stream.select_key(F.coalesce(hr.key, hr.value)),
]


def counted(_: Builder, stream: Texts, name: str) -> None:
    stream.group_by_key().count(store=name, emit="every").to_stream().to(name)


def looked_up(app: Builder, stream: Texts, name: str) -> None:
    users = app.table("users", key=hr.STRING, value=hr.STRING)
    stream.left_join(users, lambda a, b: a + F.coalesce(b, "-")).to(name)


def written(_: Builder, stream: Texts, name: str) -> None:
    stream.to(name)


def paired(_: Builder, stream: Texts, name: str) -> None:
    stream.join(stream, lambda a, b: a + b, hr.join_windows("5ms"), store=name).to(name)


def windowed(_: Builder, stream: Texts, name: str) -> None:
    stream.group_by_key().windowed_by(hr.tumbling("5ms")).count(store=name).to_stream().to(name)


ENDS = [counted, looked_up, written, paired, windowed]
ways = st.lists(st.tuples(st.lists(st.integers(0, len(BETWEEN) - 1), max_size=3), st.sampled_from(ENDS)), max_size=5)
records = st.tuples(st.sampled_from("abc"), st.sampled_from(["", "a", "b", "cc"]), st.integers(0, 20), st.booleans())


def declared(wanted: list[tuple[list[int], Callable[..., None]]]) -> Plan:
    """A stream with a new key, and ways from there; two of them that begin alike share their beginning."""
    app = Builder("app")
    key = hr.when(hr.value == "", None).otherwise(hr.value[:1])
    known: dict[tuple[int, ...], Any] = {(): app.stream("in", key=hr.STRING, value=hr.STRING).select_key(key)}
    for number, (path, end) in enumerate(wanted):
        for length, step in enumerate(path, 1):
            if tuple(path[:length]) not in known:
                known[tuple(path[:length])] = BETWEEN[step](known[tuple(path[: length - 1])])
        end(app, known[tuple(path)], f"out{number}")
    known[()].to("all")
    return app.plan()


def answers(plan: Plan, events: list[tuple[str, str, int, bool]]) -> list[list[RawRecord]]:
    """What each record of the input writes, by topic and in order."""
    loop, found = Loop(plan, SetClock(), show=lambda _: None), []
    reads_users = any("users" in getattr(node, "topics", ()) for node in plan.nodes)
    for key, value, ts, user in events:
        topic = "users" if user and reads_users else "in"
        out = loop.run([RawRecord(topic=topic, key=key.encode(), value=value.encode(), ts=ts)])
        found.append(sorted((raw for _, raw in out), key=lambda raw: raw.topic))
    return found


@settings(max_examples=150, deadline=None)
@given(ways, st.lists(records, max_size=8))
def test_merged_repartitions_write_the_same(wanted: Any, events: Any) -> None:
    before = place_repartitions(declared(wanted))
    after = merge_repartitions(before)
    assert answers(after, events) == answers(before, events)
    by_hand = [node.name for node in before.of(Repartition) if not node.placed]
    assert by_hand == [node.name for node in after.of(Repartition) if not node.placed]
    assert len(after.of(Repartition)) <= len(before.of(Repartition))
