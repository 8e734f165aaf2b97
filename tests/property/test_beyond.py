"""drop_duplicates and ttl equal what a look at all records so far gives; batches change no settled result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.testing import TopologyTestDriver

Events = list[tuple[str, int]]
EVENTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 80)), max_size=30)
CUTS = st.sets(st.integers(1, 29))


def run(topology: Callable[[Any], object], events: Events, cuts: set[int] | None = None) -> TopologyTestDriver:
    """A driver after all events, one by one or in batches that end at the cuts."""
    app = Builder("app")
    topology(app.stream("in", key=hr.STRING, value=hr.STRING))
    driver = TopologyTestDriver(app)
    bounds = range(len(events) + 1) if cuts is None else sorted({0, len(events)} | {c for c in cuts if c < len(events)})
    for first, last in zip(bounds, list(bounds)[1:], strict=False):
        with driver.batch():
            for number, (key, ts) in enumerate(events[first:last], first):
                driver.input("in").pipe(str(number), key=key, ts=ts)
    return driver


@settings(deadline=None, max_examples=100)
@given(EVENTS)
def test_no_duplicates_equal_a_look_at_all_that_has_passed(events: Events) -> None:
    passed: list[tuple[str, int]] = []
    now = -1
    for key, ts in events:
        now = max(now, ts)
        near = any(key == other and abs(ts - at) < 10 for other, at in passed)
        if ts > now - 10 and not near:
            passed.append((key, ts))
    driver = run(lambda stream: stream.drop_duplicates(within="10ms").to("out"), events)
    assert [(one.key, one.ts) for one in driver.output("out").read_records()] == passed


def recounted(events: Events) -> dict[str, int]:
    """The rows of a count with a ttl of 10 ms, by going through all keys with every event."""
    counts: dict[str, tuple[int, int]] = {}
    now = -1
    for key, ts in events:
        now = max(now, ts)
        counts = {one: (n, last) for one, (n, last) in counts.items() if last + 10 > now}
        n, last = counts.get(key, (0, ts))
        if max(ts, last) + 10 > now:
            counts[key] = n + 1, max(ts, last)
    return {key: n for key, (n, _) in counts.items()}


@settings(deadline=None, max_examples=100)
@given(EVENTS, CUTS)
def test_a_count_with_a_ttl_equals_a_recount_whatever_the_batches(events: Events, cuts: set[int]) -> None:
    def topology(stream: Any) -> None:
        stream.group_by_key().count(store="n", ttl="10ms").to_stream().to("out")

    wanted = recounted(events)
    for driver in (run(topology, events), run(topology, events, cuts)):
        assert driver.store("n").all() == wanted
        assert driver.output("out").read_table() == wanted


@settings(deadline=None, max_examples=60)
@given(EVENTS, CUTS)
def test_a_table_with_a_ttl_is_what_is_young_enough(events: Events, cuts: set[int]) -> None:
    now = -1
    rows: dict[str, tuple[str, int]] = {}
    for number, (key, ts) in enumerate(events):
        now = max(now, ts)
        rows = {one: (value, at) for one, (value, at) in rows.items() if at + 10 > now}
        if ts + 10 > now:
            rows[key] = str(number), ts
    driver = run(lambda stream: stream.to_table(store="rows", ttl="10ms").to_stream().to("out"), events, cuts)
    assert driver.store("rows").all() == {key: value for key, (value, _) in rows.items()}
    assert driver.output("out").read_table() == driver.store("rows").all()


@settings(deadline=None, max_examples=60)
@given(EVENTS, CUTS)
def test_after_a_silence_every_window_has_its_final_result(events: Events, cuts: set[int]) -> None:
    windows = hr.tumbling("10ms", grace="20ms", idle_after="30s")

    def topology(stream: Any) -> None:
        table = stream.group_by_key().windowed_by(windows)
        table.emit_strategy(hr.on_window_close()).count(store="closed").to_stream().to("closed")
        table.count(store="updated").suppress(hr.until_window_closes()).to_stream().to("suppressed")
        table.count(store="last").to_stream().to("last")

    driver = run(topology, events, cuts)
    driver.advance_wall_clock("1h")
    last = driver.output("last").read_table()
    for topic in ("closed", "suppressed"):
        found = driver.output(topic).read_all()
        assert dict(found) == last
        assert len(found) == len(last)
