"""Positions: their text, and which reflects more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import PositionUnreadable
from headrace.query.position import Position

PLACES = st.tuples(st.sampled_from(["plays", "songs-2", "a.b"]), st.integers(0, 3))
POSITIONS = st.builds(Position, st.dictionaries(PLACES, st.integers(0, 9)))


@given(POSITIONS, st.sampled_from(["", "3f2a"]))
def test_a_position_comes_back_from_its_text(position: Position, moment: str) -> None:
    named = Position(position.offsets, moment)
    assert Position.read(str(named)) == named


@given(POSITIONS, POSITIONS)
def test_what_both_reflect_and_what_either_does(one: Position, other: Position) -> None:
    assert one.covers(one.common(other)) and other.covers(one.common(other))
    assert one.joined(other).covers(one) and one.joined(other).covers(other)
    assert one.common(other) == other.common(one)


def test_a_record_is_reflected_by_what_comes_behind_it() -> None:
    assert Position.after("plays", 1, 16) == Position.read("plays-1@17")


@pytest.mark.parametrize("text", ["plays", "plays-0", "plays-0@", "-0@1", "plays-x@1", "plays-0@1~", "plays-0@1~a b"])
def test_a_text_that_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(PositionUnreadable) as refused:
        Position.read(text)
    assert f"{text!r} is no position" in str(refused.value)
    assert "plays-0@42,plays-1@17" in str(refused.value)
