"""The key-value store."""

from headrace.state.keyvalue import KeyValueStore, Stored
from headrace.state.state import MemoryState


def test_a_key_has_its_last_value_and_time() -> None:
    store = KeyValueStore(MemoryState(), "s")
    store.put(b"a", 1, ts=5)
    store.put(b"a", 2, ts=3)
    assert store.get(b"a") == Stored(2, 3)


def test_a_key_that_was_never_stored_has_nothing() -> None:
    assert KeyValueStore(MemoryState(), "s").get(b"a") is None


def test_items_come_in_the_order_of_their_bytes() -> None:
    store = KeyValueStore(MemoryState(), "s")
    for key in (b"b", b"", b"\xff", b"a"):
        store.put(key, key.decode("latin1"), ts=0)
    assert [key for key, _ in store.items()] == [b"", b"a", b"b", b"\xff"]
