"""Windowed results equal what a batch over all records gives."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.model.windows import Windows
from headrace.testing import TopologyTestDriver

Events = list[tuple[str, int]]
EVENTS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 60)), max_size=25)


def counts(windows: Windows, events: Events, *, final: bool = False) -> dict[tuple[str, int, int], int]:
    """The windowed counts of keys and times, by streaming."""
    app = Builder("app", emit="every")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().windowed_by(windows)
    if final:
        stream = stream.emit_strategy(hr.on_window_close())
    stream.count().to_stream().to("out")
    driver = TopologyTestDriver(app)
    for key, ts in events:
        driver.input("in").pipe("x", key=key, ts=ts)
    return dict(driver.output("out").read_table())


@settings(deadline=None, max_examples=60)
@given(EVENTS)
def test_hopping_counts_equal_a_recount(events: Events) -> None:
    windows = hr.hopping("10ms", advance="3ms", grace="1s")
    wanted = Counter((key, *window) for key, ts in events for window in windows.holding(ts))
    assert counts(windows, events) == wanted


@settings(deadline=None, max_examples=60)
@given(EVENTS)
def test_sliding_windows_that_end_with_a_record_hold_what_lies_before_it(events: Events) -> None:
    found = counts(hr.sliding("10ms", grace="1s"), events)
    for key, ts in events:
        end = max(ts, 10)  # the windows of early records all begin at 0
        assert found[key, end - 10, end] == sum(end - 10 <= other <= end for k, other in events if k == key)


@settings(deadline=None, max_examples=60)
@given(EVENTS)
def test_session_counts_equal_a_recount(events: Events) -> None:
    wanted: dict[tuple[str, int, int], int] = {}
    for key in "ab":
        times = sorted(ts for k, ts in events if k == key)
        cuts = [0, *(n for n, (a, b) in enumerate(pairwise(times), 1) if b - a > 10), len(times)]
        stretches = [times[first:last] for first, last in pairwise(cuts)]
        wanted |= {(key, one[0], one[-1]): len(one) for one in stretches if one}
    assert counts(hr.session("10ms", grace="1s"), events) == wanted


@settings(deadline=None, max_examples=60)
@given(EVENTS)
def test_results_on_close_are_the_last_ones_of_all_windows(events: Events) -> None:
    windows = hr.tumbling("10ms", grace="20ms")
    everything = [*events, ("end", 1_000_000)]
    updates = {key: n for key, n in counts(windows, everything).items() if key[0] != "end"}
    assert counts(windows, everything, final=True) == updates
