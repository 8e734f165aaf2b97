"""Looking into stores."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.errors import WrongKey, WrongStore
from headrace.model.windows import Windowed
from headrace.testing import KeyValueView, TopologyTestDriver, VersionedView, WindowView


def clicks(windows: object) -> WindowView:
    """Two clicks of ann and one of bob, 12 s apart, counted."""
    app = Builder("app")
    grouped = app.stream("clicks", key=hr.STRING, value=hr.STRING).group_by_key()
    grouped.windowed_by(windows).count(store="n")  # type: ignore[arg-type]
    driver = TopologyTestDriver(app)
    driver.input("clicks").pipe_records([("ann", "x", 1_000), ("ann", "x", 13_000), ("bob", "x", 25_000)])
    view = driver.store("n")
    assert isinstance(view, WindowView)
    return view


def test_key_values_by_key_and_range() -> None:
    app = Builder("app")
    app.table("rows", key=hr.INT64, value=hr.STRING, store="rows")
    driver = TopologyTestDriver(app)
    driver.input("rows").pipe_records([(3, "c"), (1, "a"), (2, "b"), (2, None), (4, "d")])
    view = driver.store("rows")
    assert isinstance(view, KeyValueView)
    assert (view.get(1), view.get(2), len(view)) == ("a", None, 3)
    assert list(view.all().items()) == [(1, "a"), (3, "c"), (4, "d")]
    assert view.range(2, 3) == {3: "c"}
    assert view.range(last=3) == {1: "a", 3: "c"}
    assert view.range(first=3) == {3: "c", 4: "d"}
    assert repr(view) == "<store 'rows': {1: 'a', 3: 'c', 4: 'd'}>"


@dataclass
class Shop:
    """A key without a hash."""

    city: str
    floors: list[int]


def test_keys_without_a_hash() -> None:
    app = Builder("app")
    grouped = app.stream("in", key=hr.json(Shop), value=hr.STRING).group_by_key()
    grouped.count(store="n").to_stream().to("out")
    grouped.windowed_by(hr.tumbling("10s")).count(store="w").to_stream().to("windows")
    driver = TopologyTestDriver(app)
    oslo, bergen = Shop("Oslo", [1, 2]), Shop("Bergen", [])
    driver.input("in").pipe_records([(oslo, "x"), (bergen, "x"), (oslo, "x")])
    view = driver.store("n")
    assert list(view.all().items()) == [(bergen, 1), (oslo, 2)]
    assert (view.all()[Shop("Oslo", [1, 2])], Shop("Oslo", [1]) in view.all(), len(view.range(oslo))) == (2, False, 1)
    assert repr(view) == f"<store 'n': {{{bergen!r}: 1, {oslo!r}: 2}}>"
    assert driver.output("out").read_table() == view.all()
    in_window = Windowed(oslo, 0, 10_000)
    windows = driver.store("w")
    assert (windows.get(in_window), windows.get(Windowed(oslo, 0, 9)), len(windows.fetch(oslo))) == (2, None, 1)
    assert driver.output("windows").read_table()[in_window] == 2


def test_versions_as_of_a_time() -> None:
    app = Builder("app")
    app.versioned_table("rows", key=hr.STRING, value=hr.STRING, store="rows", history="10s")
    driver = TopologyTestDriver(app)
    driver.input("rows").pipe_records([("k", "old", 5_000), ("k", "new", 9_000)])
    view = driver.store("rows")
    assert isinstance(view, VersionedView)
    assert (view.get("k"), view.all()) == ("new", {"k": "new"})
    assert [view.get("k", as_of=ts) for ts in (4_999, 5_000, 8_999, 9_000)] == [None, "old", "old", "new"]
    assert view.get("k", as_of=datetime(1970, 1, 1, 0, 0, 6, tzinfo=UTC)) == "old"


def test_windows_by_key_and_time() -> None:
    view = clicks(hr.tumbling("10s", grace="1h"))
    first, second = Windowed("ann", 0, 10_000), Windowed("ann", 10_000, 20_000)
    assert view.all() == {first: 1, second: 1, Windowed("bob", 20_000, 30_000): 1}
    assert (view.get(first), view.get(Windowed("bob", 0, 10_000))) == (1, None)
    assert view.fetch("ann") == {first: 1, second: 1}
    assert view.fetch("ann", 1) == {second: 1}
    assert view.fetch("ann", last=9_999) == {first: 1}
    assert view.fetch("eve") == {}
    assert view.fetch("bob", datetime(1970, 1, 1, 0, 0, 20, tzinfo=UTC)) == {Windowed("bob", 20_000, 30_000): 1}


def test_sliding_windows_end_by_their_size() -> None:
    assert list(clicks(hr.sliding("10s", grace="1h")).fetch("bob")) == [Windowed("bob", 15_000, 25_000)]


def test_sessions_by_key() -> None:
    view = clicks(hr.session("20s", grace="1h"))
    assert view.fetch("ann") == {Windowed("ann", 1_000, 13_000): 2}
    assert view.fetch("ann", last=12_999) == {}
    assert view.get(Windowed("bob", 25_000, 25_000)) == 1


def test_a_windowed_cogroup_has_a_store_of_windows() -> None:
    app = Builder("app")
    grouped = app.stream("in", key=hr.STRING, value=hr.INT64).group_by_key()
    cogrouped = grouped.cogroup(lambda _, value, total: total + value).windowed_by(hr.tumbling("10s"))
    cogrouped.aggregate(lambda: 0, store="sums")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe_records([("k", 3), ("k", 4)])
    assert driver.store("sums").all() == {Windowed("k", 0, 10_000): 7}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda d: d.store("rows").fetch("k"), "store 'rows' is a table and has no fetch()"),
        (lambda d: d.store("rows").get("k", as_of=5), "store 'rows' is a table and has no as_of"),
        (lambda d: d.store("n").range("k"), "store 'n' is windowed and has no range()"),
        (lambda d: d.store("n").get(Windowed("k", 0, 10_000), as_of=5), "store 'n' is windowed and has no as_of"),
    ],
)
def test_what_only_another_kind_of_store_has(ask: Callable[[TopologyTestDriver], object], words: str) -> None:
    with pytest.raises(WrongStore) as caught:
        ask(both())
    has = {
        "rows": "get(key), all() and range(first, last)",
        "n": "get(Windowed(key, start, end)), fetch(key, first, last) and all()",
    }[words.split("'")[1]]
    found = re.sub(r"test_views\.py:\d+", "HERE", str(caught.value))
    assert found == f"{words}\n  at: HERE\n  to do: it has {has}"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda d: d.store("rows").get(3), "store 'rows' cannot have that key: 3 is a int, str is needed"),
        (lambda d: d.store("rows").range(b"a"), "store 'rows' cannot have that key: b'a' is a bytes, str is needed"),
        (lambda d: d.store("n").fetch(3), "store 'n' cannot have that key: 3 is a int, str is needed"),
        (lambda d: d.store("n").get("k"), "store 'n' cannot have that key: 'k' is a str, a Windowed key is needed"),
    ],
)
def test_a_key_of_another_type(ask: Callable[[TopologyTestDriver], object], words: str) -> None:
    with pytest.raises(WrongKey) as caught:
        ask(both())
    found = re.sub(r"test_views\.py:\d+", "HERE", str(caught.value))
    assert found == f"{words}\n  at: HERE\n  to do: ask for a key of its own type"


def both() -> TopologyTestDriver:
    """A table and a count of windows."""
    app = Builder("app")
    app.table("rows", key=hr.STRING, value=hr.STRING, store="rows")
    grouped = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key()
    grouped.windowed_by(hr.tumbling("10s")).count(store="n")
    return TopologyTestDriver(app)


def test_the_records_that_a_join_keeps_are_its_own() -> None:
    app = Builder("app")
    left = app.stream("left", key=hr.STRING, value=hr.STRING)
    right = app.stream("right", key=hr.STRING, value=hr.STRING)
    left.join(right, lambda one, other: one + other, hr.join_windows("10s")).to("out")
    assert TopologyTestDriver(app).stores == []
