"""When keys are to be forgotten."""

from __future__ import annotations

from headrace.state.expiry import Expiry
from headrace.state.state import MemoryState


def test_keys_are_over_by_their_time_and_then_their_bytes() -> None:
    times: dict[bytes, int] = {}
    expiry = Expiry(MemoryState(), "node", 10)

    def write(key: bytes, ts: int) -> None:
        times[key] = ts
        expiry.written(key, ts)

    for key, ts in ((b"b", 1), (b"a", 1), (b"c", 0), (b"d", 5)):
        write(key, ts)
    write(b"c", 3)  # younger now
    write(b"d", 2)  # older now
    del times[b"b"]
    assert list(expiry.over(10, times.get)) == []
    assert list(expiry.over(12, times.get)) == [(b"a", 11), (b"d", 12)]
    del times[b"a"], times[b"d"]
    assert list(expiry.over(99, times.get)) == [(b"c", 13)]
    assert list(expiry.over(99, times.get)) == []


def test_what_is_over() -> None:
    expiry = Expiry(MemoryState(), "node", 10)
    assert [expiry.is_over(5, now) for now in (14, 15)] == [False, True]
