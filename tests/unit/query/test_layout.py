"""Keys of replicas: their bytes are in the natural order, and come back as they were."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.windows import Windowed
from headrace.query.replica.key_order import Layout, WindowLayout
from headrace.serde import BOOL, BYTES, DOUBLE, INT32, INT64, STRING, Serde, SessionWindowedSerde, TimeWindowedSerde

KEYS: dict[Serde[Any], st.SearchStrategy[Any]] = {
    STRING: st.text(st.characters(exclude_categories=["Cs"])),
    BYTES: st.binary(),
    INT32: st.integers(-(2**31), 2**31 - 1),
    INT64: st.integers(-(2**63), 2**63 - 1),
    DOUBLE: st.floats(allow_nan=False).filter(lambda number: math.copysign(1, number) > 0 or number != 0),
    BOOL: st.booleans(),
}
TIMES = st.integers(0, 2**63 - 2)

serdes = pytest.mark.parametrize("serde", KEYS, ids=str)


@serdes
@given(data=st.data())
def test_keys_are_in_their_natural_order(serde: Serde[Any], data: st.DataObject) -> None:
    layout, (one, other) = Layout.of(serde), data.draw(st.tuples(KEYS[serde], KEYS[serde]))
    placed, behind = layout.place(serde.write(one)), layout.place(serde.write(other))
    assert (placed < behind, placed == behind) == (one < other, one == other)
    assert layout.key(placed) == serde.write(one)


@serdes
@given(data=st.data())
def test_windows_of_a_key_are_together_by_time(serde: Serde[Any], data: st.DataObject) -> None:
    windows = TimeWindowedSerde(serde, 10)
    layout, keys = Layout.of(windows), st.tuples(KEYS[serde], TIMES)
    one, other = data.draw(keys), data.draw(keys)
    placed, behind = (layout.place(windows.write(Windowed(key, start, start + 10))) for key, start in (one, other))
    assert (placed < behind, placed == behind) == (one < other, one == other)
    assert layout.key(placed) == windows.write(Windowed(*one, 0))
    span = layout.span(key=serde.write(one[0]))
    assert (span.low <= behind < span.high) == (one[0] == other[0])


@given(st.binary(), st.integers(0, 2**40), st.integers(0, 2**40))
def test_sessions_are_by_their_ends(key: bytes, start: int, length: int) -> None:
    sessions = SessionWindowedSerde(BYTES)
    layout = Layout.of(sessions)
    assert isinstance(layout, WindowLayout)
    data = sessions.write(Windowed(key, start, start + length))
    placed = layout.place(data)
    assert layout.key(placed) == data and layout.bare(data) == key
    assert (layout.start(placed), layout.time(placed)) == (start, start + length)


@pytest.mark.parametrize("windowed", [False, True])
@given(keys=st.lists(st.binary(max_size=4), min_size=1), prefix=st.binary(max_size=2))
def test_a_prefix_is_a_stretch(windowed: bool, keys: list[bytes], prefix: bytes) -> None:
    layout = Layout.of(TimeWindowedSerde(BYTES, 10) if windowed else BYTES)
    span, window = layout.span(prefix=prefix), bytes(8) if windowed else b""
    found = [key for key in keys if span.low <= layout.place(key + window) < span.high]
    assert found == [key for key in keys if key.startswith(prefix)]


@given(st.lists(st.integers(-5, 5)), st.integers(-6, 6), st.integers(-6, 6))
def test_both_bounds_are_inside(keys: list[int], first: int, last: int) -> None:
    layout = Layout.of(INT64)
    span = layout.span(INT64.write(first), INT64.write(last))
    assert [key for key in keys if span.low <= layout.place(INT64.write(key)) < span.high] == [
        key for key in keys if first <= key <= last
    ]


def test_nan_comes_last() -> None:
    layout = Layout.of(DOUBLE)
    assert layout.place(DOUBLE.write(math.nan)) > layout.place(DOUBLE.write(math.inf))


@pytest.mark.parametrize(
    ("serde", "data"),
    [(STRING, b"\xff"), (INT64, b"1234"), (BOOL, b"\x02"), (TimeWindowedSerde(INT32, 1), bytes(11)), (DOUBLE, b"")],
    ids=str,
)
def test_bytes_that_are_no_key_are_refused(serde: Serde[Any], data: bytes) -> None:
    with pytest.raises(ValueError):
        Layout.of(serde).place(data)


def test_a_window_before_1970_is_refused() -> None:
    with pytest.raises(ValueError, match="before 1970"):
        Layout.of(TimeWindowedSerde(STRING, 1)).place(b"a" + b"\xff" * 8)
