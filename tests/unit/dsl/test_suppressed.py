"""Every error of suppress, by its words."""

from __future__ import annotations

import re

import pytest

import headrace as hr
from dsl.refusals import refused
from headrace.dsl import Builder, KTable
from headrace.errors import BufferFull, NoSerde, NoWindowsToClose, OptionInvalid, VersionsHeldBack
from headrace.testing import TopologyTestDriver


def counts(app: Builder | None = None) -> KTable[str, int]:
    stream = (app or Builder("app")).stream("in", key=hr.STRING, value=hr.STRING)
    return stream.group_by_key().count(store="n")


def test_options_that_make_no_sense() -> None:
    refused(OptionInvalid, lambda: hr.until_time_limit("soon"), "limit='soon' is not possible")
    refused(
        OptionInvalid,
        lambda: hr.until_time_limit("1s", max_records=-1),
        "max_records=-1 is not possible",
        "give a whole number from 0 on, or None for no limit",
    )
    refused(OptionInvalid, lambda: hr.until_window_closes(max_bytes=True), "max_bytes=True is not possible")
    refused(OptionInvalid, lambda: hr.until_time_limit("1s", idle_after="0s"), "idle_after='0s' is not possible")
    refused(OptionInvalid, lambda: hr.until_time_limit("1s", when_full="fail"), 'give "emit" or "stop"')
    refused(
        OptionInvalid,
        lambda: counts().suppress("5s"),  # type: ignore[arg-type]
        "until='5s' is not possible",
        "give hr.until_window_closes() or hr.until_time_limit(...)",
    )


def test_a_table_without_windows_never_closes() -> None:
    refused(
        NoWindowsToClose,
        lambda: counts().suppress(hr.until_window_closes()),
        "n has no windows that could close",
        "to do: use hr.until_window_closes() behind windowed_by(...), or hr.until_time_limit(...)",
    )


def test_versions_cannot_be_held_back() -> None:
    table = Builder("app").versioned_table("rows", key=hr.STRING, value=hr.STRING, history="1h")
    refused(
        VersionsHeldBack,
        lambda: table.filter(lambda _, v: v > "a", name="high").suppress(hr.until_time_limit("5s")),
        "high is versioned: the last change of a key that comes in need not be its newest",
        "to do: read the topic with app.table(...), or use suppress behind a join or an aggregation",
    )


@pytest.mark.parametrize("stopping", [True, False], ids=["limit", "windows"])
def test_the_application_stops_when_too_many_wait(stopping: bool) -> None:
    app = Builder("app", emit="every")
    if stopping:
        counts(app).suppress(hr.until_time_limit("1h", max_records=1, when_full="stop"), name="held")
    else:
        windows = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().windowed_by(hr.tumbling("1s"))
        windows.count().suppress(hr.until_window_closes(max_records=1), name="held")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("x", key="a", ts=1)
    with pytest.raises(BufferFull) as caught:
        driver.input("in").pipe("x", key="b", ts=2)
    assert re.search(r"held \(test_suppressed\.py:\d+\) would hold back more than 1 results", str(caught.value))
    assert "at: in-0@1" in str(caught.value)
    assert "give a larger max_records or max_bytes, or none" in str(caught.value)


def test_the_application_stops_when_too_many_bytes_wait() -> None:
    app = Builder("app")
    table = app.stream("in", key=hr.STRING, value=hr.STRING).to_table()
    table.suppress(hr.until_time_limit("1h", max_bytes=5, when_full="stop"), name="held")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("12", key="a")
    with pytest.raises(BufferFull, match="would hold back more than 5 bytes of results"):
        driver.input("in").pipe("12", key="b")


def test_values_without_bytes_cannot_be_counted() -> None:
    table = counts().map_values(lambda n: [n, str(n)])
    refused(NoSerde, lambda: table.suppress(hr.until_time_limit("1h", max_bytes=5)), "no serde writes values of type")


def test_a_suppression_says_what_it_does() -> None:
    app = Builder("app")
    counts(app).suppress(hr.until_time_limit("5s", max_records=9)).suppress(
        hr.until_time_limit("1m", max_records=1, max_bytes=64, when_full="stop", idle_after="30s")
    )
    (end,) = app.plan().ends
    assert end.detail() == "for 1m, at most 1 and 64 bytes, then stop, idle after 30s"
    assert end.inputs[0].detail() == "for 5s, at most 9, then the oldest first"
