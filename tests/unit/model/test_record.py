"""Records."""

from __future__ import annotations

import copy
import pickle

import pytest

from headrace.errors import KeyFixed, TimestampNegative
from headrace.model.record import Record
from headrace.processor.records import FixedKeyRecord

RECORD = Record(key="k", value=[1], ts=3, headers=(("h", b"1"),), origin="in-0@7")


def test_a_record_is_what_it_says_wherever_it_comes_from() -> None:
    other = Record(key="k", value=[1], ts=3, headers=(("h", b"1"),))
    assert other == RECORD
    assert (other != RECORD) is False
    assert hash(RECORD.with_value(1)) == hash(other.with_value(1))
    assert other.with_value([2]) != RECORD
    assert tuple(RECORD) != RECORD


def test_another_key_value_or_time_keeps_the_rest() -> None:
    assert RECORD.with_key("l") == Record(key="l", value=[1], ts=3, headers=(("h", b"1"),))
    assert RECORD.with_pair("l", 2) == Record(key="l", value=2, ts=3, headers=(("h", b"1"),))
    changed = RECORD.with_row("l", 2, 5)
    assert changed == Record(key="l", value=2, ts=5, headers=(("h", b"1"),))
    assert changed.origin == "in-0@7"


def test_nobody_changes_a_record() -> None:
    with pytest.raises(AttributeError):
        RECORD.value = 4  # type: ignore[misc,assignment]
    with pytest.raises(AttributeError):
        RECORD.other = 4  # type: ignore[attr-defined]


def test_a_copy_is_equal() -> None:
    assert copy.copy(RECORD) == RECORD
    assert pickle.loads(pickle.dumps(RECORD)) == RECORD
    deep = copy.deepcopy(RECORD)
    assert deep == RECORD
    assert deep.value is not RECORD.value
    assert type(deep) is Record


def test_a_record_shows_what_it_has() -> None:
    assert repr(Record(value="v", ts=0)) == "Record(key=None, value='v', ts=0)"
    assert repr(RECORD) == "Record(key='k', value=[1], ts=3, headers=(('h', b'1'),), origin='in-0@7')"


def test_no_record_is_before_1970() -> None:
    assert RECORD.with_ts(0).with_headers([("a", None)]) == Record(key="k", value=[1], ts=0, headers=(("a", None),))
    with pytest.raises(TimestampNegative, match=r"cannot be -1\n  to do: give milliseconds since 1970, 0 or more"):
        RECORD.with_ts(-1)


def test_a_fixed_key_stays() -> None:
    fixed = FixedKeyRecord.of(RECORD)
    assert (fixed.with_value(2).key, fixed.free()) == ("k", RECORD)
    words = r"stays as it is in process_values\n  to do: use process\(\.\.\.\)"
    with pytest.raises(KeyFixed, match=words):
        fixed.with_key("l")
    with pytest.raises(KeyFixed, match=words):
        fixed.with_pair("l", 2)
