"""Somebody sets the machine's clock while an application runs: who waits for some time to pass does not notice."""

from __future__ import annotations

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.passes.pipeline import rewrite
from headrace.task.loop import Loop

HOUR = 3_600_000
JUMPS = pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])


class Punctual(hr.Processor[bytes, bytes]):
    """Notes when its punctuator is called, and what time of day it is then."""

    def __init__(self, notes: list[tuple[int, int]]) -> None:
        self.notes = notes

    def init(self, context: hr.ProcessorContext) -> None:
        context.schedule("10s", lambda now: self.notes.append((now, context.now_ms)), by="wall")

    def process(self, record: hr.Record) -> None:
        pass


def put(ts: int) -> RawRecord:
    return RawRecord(topic="in", key=b"k", value=b"v", ts=ts)


@JUMPS
def test_a_window_closes_after_a_silence_and_no_record_is_late(jump: int) -> None:
    app = Builder("app")
    windows = app.stream("in").group_by_key().windowed_by(hr.tumbling("1s", idle_after="30s"))
    windows.emit_strategy(hr.on_window_close()).count(store="n").to_stream().to("out")
    clock = SetClock(2 * HOUR)
    loop = Loop(rewrite(app.plan()), clock)
    loop.run([put(1_000)])
    clock.set(2 * HOUR + jump, steady_ms=2 * HOUR + 29_999)
    assert loop.run([]) == []
    loop.run([put(1_001)])
    assert loop.drops.counts() == {}
    clock.set(2 * HOUR + jump, steady_ms=2 * HOUR + 60_000)
    (closed,) = loop.run([])
    assert closed[1].value == hr.INT64.encode(2)


@JUMPS
def test_a_punctuator_is_called_after_its_interval(jump: int) -> None:
    notes: list[tuple[int, int]] = []
    app = Builder("app")
    app.stream("in").process(lambda: Punctual(notes))
    clock = SetClock(2 * HOUR)
    loop = Loop(rewrite(app.plan()), clock)
    loop.run([put(1_000)])
    for steady in (9_999, 10_000):
        clock.set(2 * HOUR + jump, steady_ms=2 * HOUR + steady)
        loop.run([])
    assert notes == [(2 * HOUR + 10_000, 2 * HOUR + jump)]
