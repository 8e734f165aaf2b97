"""What a versioned store keeps, and for how long."""

from __future__ import annotations

from headrace.state.keyvalue import Stored
from headrace.state.state import MemoryState
from headrace.state.versioned import VersionedStore


def test_versions_are_valid_until_the_next() -> None:
    store = VersionedStore(MemoryState(), "s", 100)
    assert store.put(b"a", "x", ts=10) is True
    assert store.put(b"a", "z", ts=30) is True
    assert store.put(b"a", "y", ts=20) is False
    assert [store.get(b"a", ts) for ts in (9, 10, 19, 20, 30)] == [
        None,
        Stored("x", 10),
        Stored("x", 10),
        Stored("y", 20),
        Stored("z", 30),
    ]
    assert store.get(b"a") == Stored("z", 30)
    assert store.get(b"b") is None


def test_a_version_of_the_same_time_is_replaced() -> None:
    store = VersionedStore(MemoryState(), "s", 100)
    store.put(b"a", "x", ts=10)
    assert store.put(b"a", "y", ts=10) is True
    assert store.get(b"a") == Stored("y", 10)


def test_a_deletion_is_a_version() -> None:
    store = VersionedStore(MemoryState(), "s", 100)
    store.put(b"a", "x", ts=10)
    store.put(b"a", None, ts=20)
    assert store.get(b"a") is None
    assert store.get(b"a", 15) == Stored("x", 10)
    assert store.put(b"a", "y", ts=15) is False
    assert list(store.items()) == []


def test_a_deletion_at_the_time_of_a_first_row_leaves_nothing() -> None:
    store = VersionedStore(MemoryState(), "s", 100)
    store.put(b"a", "x", ts=10)
    assert store.put(b"a", None, ts=10) is True
    assert store.put(b"a", "y", ts=5) is True
    assert store.get(b"a") == Stored("y", 5)


def test_what_is_older_than_the_history_is_refused_and_forgotten() -> None:
    store = VersionedStore(MemoryState(), "s", 100)
    store.put(b"a", "x", ts=10)
    store.put(b"a", "y", ts=20)
    store.put(b"b", "z", ts=150)
    assert store.put(b"a", "late", ts=49) is None
    assert store.get(b"a", 15) is None
    assert store.get(b"a", 20) == Stored("y", 20)
    assert list(store.items()) == [(b"a", Stored("y", 20)), (b"b", Stored("z", 150))]


def test_a_deletion_below_a_row_of_the_same_time_is_not_forgotten() -> None:
    store = VersionedStore(MemoryState(), "s", 100)
    store.put(b"a", None, ts=10)
    store.put(b"a", "x", ts=10)
    assert store.get(b"a", 10) == Stored("x", 10)
    assert store.put(b"a", None, ts=10) is True
    assert store.get(b"a") is None
    assert store.put(b"a", "y", ts=5) is False
