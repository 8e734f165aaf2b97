"""The window store."""

from headrace.state.keyvalue import Stored
from headrace.state.state import MemoryState
from headrace.state.window import WindowStore


def test_a_key_and_time_have_their_last_value() -> None:
    store = WindowStore(MemoryState(), "s", 100)
    store.put(b"a", 5, "x", ts=7)
    store.put(b"a", 5, "y", ts=6)
    assert store.get(b"a", 5) == Stored("y", 6)
    assert store.get(b"a", 6) is None
    assert store.get(b"b", 5) is None


def test_a_key_is_fetched_by_time() -> None:
    store = WindowStore(MemoryState(), "s", 100)
    for key, time in ((b"a", 9), (b"a", 1), (b"b", 4), (b"a", 5)):
        store.put(key, time, time, ts=time)
    assert [time for time, _ in store.fetch(b"a", 1, 9)] == [1, 5, 9]
    assert [time for time, _ in store.fetch(b"a", 2, 8)] == [5]
    assert list(store.fetch(b"c", 0, 100)) == []


def test_all_keys_are_fetched_by_time_and_key() -> None:
    store = WindowStore(MemoryState(), "s", 100)
    for key, time in ((b"b", 1), (b"a", 2), (b"a", 1), (b"c", 3)):
        store.put(key, time, "x", ts=0)
    assert [(key, time) for key, time, _ in store.fetch_all(1, 2)] == [(b"a", 1), (b"b", 1), (b"a", 2)]


def test_none_removes() -> None:
    store = WindowStore(MemoryState(), "s", 100)
    store.put(b"a", 5, "x", ts=0)
    store.put(b"a", 5, None, ts=0)
    store.put(b"a", 6, None, ts=0)
    assert list(store.fetch(b"a", 0, 100)) == []
    assert list(store.fetch_all(0, 100)) == []


def test_what_lies_the_retention_behind_the_newest_is_gone() -> None:
    store = WindowStore(MemoryState(), "s", 10)
    store.put(b"a", 5, "x", ts=0)
    store.put(b"a", 6, "y", ts=0)
    store.put(b"b", 15, "z", ts=0)
    assert store.get(b"a", 5) is None
    assert store.get(b"a", 6) == Stored("y", 0)
    store.put(b"a", 5, "again", ts=0)
    assert [time for time, _ in store.fetch(b"a", 0, 100)] == [6]


def test_duplicates_are_kept_in_order() -> None:
    store = WindowStore(MemoryState(), "s", 10, duplicates=True)
    for value in ("x", "y", "x"):
        store.put(b"a", 5, value, ts=5)
    store.put(b"a", 5, None, ts=5)
    assert [stored.value for _, stored in store.fetch(b"a", 5, 5)] == ["x", "y", "x"]
    assert store.get(b"a", 5) == Stored("x", 5)
