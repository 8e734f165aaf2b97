"""Every error of windows and windowed aggregations, by its words; what a windowed table is declared as."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from dsl.refusals import refused
from headrace.dsl import Builder
from headrace.dsl.windowed import WindowedKStream
from headrace.errors import NoWindowsToClose, OptionInvalid, WrongParameters, WrongType
from headrace.testing import TopologyTestDriver

HERE = r"test_windows\.py:\d+"


def windowed(windows: Any, app: Builder | None = None) -> WindowedKStream[str, str]:
    stream = (app or Builder("app")).stream("in", key=hr.STRING, value=hr.STRING)
    return stream.group_by_key().windowed_by(windows)


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda: hr.tumbling("ten"), "size='ten' is not possible"),
        (lambda: hr.tumbling("0s"), "size='0s' is not possible\n  at"),
        (lambda: hr.tumbling("1s", grace="-1s"), "grace='-1s' is not possible"),
        (lambda: hr.tumbling("1s", grace=timedelta(-1)), "give a duration of 0 ms or more"),
        (lambda: hr.hopping("1s", advance="0s"), "advance='0s' is not possible"),
        (lambda: hr.hopping("1s", advance="2s"), "give no more than the size, 1s: records between would be lost"),
        (lambda: hr.sliding("soon"), "difference='soon' is not possible"),
        (lambda: hr.session("0s"), "gap='0s' is not possible"),
        (lambda: hr.tumbling("1s", idle_after="0s"), "idle_after='0s' is not possible"),
        (lambda: hr.hopping("2s", advance="1s", idle_after="-1s"), "idle_after='-1s' is not possible"),
        (lambda: hr.sliding("1s", idle_after=timedelta(-1)), "give a duration of 1 ms or more"),
        (lambda: hr.session("1s", idle_after="soon"), "idle_after='soon' is not possible"),
        (lambda: hr.join_windows("1s", idle_after="0ms"), "idle_after='0ms' is not possible"),
        (lambda: hr.unlimited(start=-1), "start=-1 is not possible"),
        (
            lambda: hr.unlimited(start=datetime(2026, 1, 1)),
            "give milliseconds from 0 on, or a datetime from 1970 on with a time zone",
        ),
        (lambda: hr.join_windows(), "give a difference, or both before= and after="),
        (lambda: hr.join_windows(before="1s"), "give a difference, or both before= and after="),
        (
            lambda: hr.join_windows(before=timedelta(seconds=-2), after="1s"),
            "give one that leaves room: with after='1s' nothing can match",
        ),
    ],
)
def test_windows_that_make_no_sense(declare: Callable[[], object], words: str) -> None:
    refused(OptionInvalid, declare, words)


def test_windowed_by_something_else() -> None:
    wanted = "give hr.tumbling(...), hr.hopping(...), hr.sliding(...), hr.session(...) or hr.unlimited()"
    refused(OptionInvalid, lambda: windowed("1m"), "windows='1m' is not possible", wanted)
    refused(OptionInvalid, lambda: windowed(hr.join_windows("1s")), wanted)


def test_a_retention_that_is_too_short() -> None:
    table = windowed(hr.tumbling("10s", grace="5s"))
    refused(
        OptionInvalid,
        lambda: table.count(retention="14s"),
        "retention='14s' is not possible",
        "give at least 15s, what tumbling 10s, grace 5s need",
    )


def test_an_emit_strategy_that_is_none() -> None:
    table = windowed(hr.tumbling("10s"))
    refused(
        OptionInvalid,
        lambda: table.emit_strategy("close"),  # type: ignore[arg-type]
        "strategy='close' is not possible",
        "give hr.on_window_close() or hr.on_window_update()",
    )


def test_an_unlimited_window_never_closes() -> None:
    refused(
        OptionInvalid,
        lambda: windowed(hr.unlimited()).emit_strategy(hr.on_window_close()),
        "strategy='on window close' is not possible",
        "give hr.on_window_update(): this window never closes",
    )
    refused(
        NoWindowsToClose,
        lambda: windowed(hr.unlimited()).count().suppress(hr.until_window_closes()),
        "has no windows that could close",
    )


def test_an_unlimited_window_begins_at_a_moment_and_drops_what_is_before_it() -> None:
    app = Builder("app")
    windowed(hr.unlimited(start=datetime(1970, 1, 1, 1, tzinfo=UTC)), app).count(store="n")
    driver = TopologyTestDriver(app)
    for ts in (3_599_999, 3_600_000):
        driver.input("in").pipe("x", key="a", ts=ts)
    assert driver.store("n").all() == {hr.Windowed("a", 3_600_000, 2**63 - 1): 1}
    assert driver.dropped == {("n", "before the window"): 1}
    (node,) = app.plan().ends
    assert node.detail() == "count, unlimited from 3600000 ms on, store n, emit settled"


def test_sessions_need_a_merger_and_others_have_none() -> None:
    refused(
        OptionInvalid,
        lambda: windowed(hr.session("1s")).aggregate(0, lambda _, _v, n: n + 1),
        "merger=None is not possible",
        "give a function (key, left, right) for sessions that become one",
    )
    refused(
        OptionInvalid,
        lambda: windowed(hr.sliding("1s")).aggregate(0, lambda _, _v, n: n + 1, merger=lambda _, a, b: a + b),
        "give none: only session windows are merged",
    )


def test_functions_of_the_wrong_type_or_shape() -> None:
    table = windowed(hr.tumbling("1s"))
    refused(WrongType, lambda: table.reduce(lambda _, v: F.length(v)), "the reduced value is int, str is needed")  # type: ignore[arg-type,return-value]
    refused(WrongType, lambda: table.aggregate(0, lambda _, v, _n: v), "the aggregate is str, int is needed")
    refused(WrongParameters, lambda: table.reduce(lambda v: v), "the function of reduce takes 1 argument")  # type: ignore[arg-type, misc]
    sessions = windowed(hr.session("1s"))
    refused(
        WrongType,
        lambda: sessions.aggregate(0, lambda _, _v, n: n, merger=lambda k, _a, _b: k),
        "the merged value is str, int is needed",
    )


def test_a_windowed_node_says_what_it_does() -> None:
    app = Builder("app")
    closing = windowed(hr.hopping("10s", advance="5s", grace="1m"), app).emit_strategy(hr.on_window_close())
    closing.count(store="n", retention="1h")
    windowed(hr.session("10s", idle_after="1m"), app).reduce(lambda a, b: a + b)
    details = [node.detail() for node in app.plan().ends]
    assert details == [
        "count, hopping 10s by 5s, grace 1m, store n, kept 1h, emit when a window is over",
        "reduce aggregate + value, session gap 10s, grace 0s, idle after 1m, store in.windowed.reduce, emit settled",
    ]


def test_drops_have_their_reasons() -> None:
    app = Builder("app")
    windowed(hr.tumbling("10ms"), app).count(store="time")
    windowed(hr.sliding("10ms"), app).count(store="sliding")
    windowed(hr.session("10ms"), app).count(store="session")
    driver = TopologyTestDriver(app)
    for key, value, ts in ((None, "x", 90), ("a", "x", 50), ("a", None, 60), ("a", "x", 5)):
        driver.input("in").pipe(value, key=key, ts=ts)
    assert driver.dropped == {
        ("time", "no key"): 1,
        ("sliding", "no key"): 1,
        ("session", "no key"): 1,
        ("sliding", "no value"): 1,
        ("time", "late"): 1,
        ("sliding", "late"): 1,
        ("session", "late"): 1,
    }


def test_a_windowed_cogroup_is_checked_as_well() -> None:
    grouped = Builder("app").stream("in", key=hr.STRING, value=hr.STRING).group_by_key()
    both = grouped.cogroup(lambda _, v, text: text + v)
    refused(OptionInvalid, lambda: both.windowed_by("1m"), "windows='1m' is not possible")  # type: ignore[arg-type]
    refused(OptionInvalid, lambda: both.windowed_by(hr.session("1s")).aggregate(""), "merger=None is not possible")
    table = both.windowed_by(hr.tumbling("1s"))
    refused(OptionInvalid, lambda: table.aggregate("", retention="1ms"), "give at least 1s, what tumbling 1s")


def test_what_a_windowed_store_holds() -> None:
    app = Builder("app")
    windowed(hr.tumbling("10ms"), app).count(store="time")
    windowed(hr.session("10ms"), app).count(store="session")
    driver = TopologyTestDriver(app)
    for key, ts in (("a", 5), ("b", 6), ("a", 7)):
        driver.input("in").pipe("x", key=key, ts=ts)
    assert driver.store("time").all() == {hr.Windowed("a", 0, 10): 2, hr.Windowed("b", 0, 10): 1}
    assert driver.store("session").all() == {hr.Windowed("b", 6, 6): 1, hr.Windowed("a", 5, 7): 2}
    assert driver.store("time").get(hr.Windowed("a", 0, 10)) == 2
    assert driver.store("session").get(hr.Windowed("a", 5, 6)) is None
