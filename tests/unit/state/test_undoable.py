"""Changes of stores that can be undone."""

from __future__ import annotations

import random

import pytest

from headrace.state.state import MemoryState, State
from headrace.state.stores import Stores
from headrace.state.undoable import Undoable

Rows = dict[str, list[tuple[bytes, object]]]


def rows(state: State, *names: str) -> Rows:
    return {name: list(state.cells(name).between(b"", None)) for name in names}


@pytest.fixture
def below() -> MemoryState:
    return MemoryState()


@pytest.fixture
def state(below: MemoryState) -> Undoable:
    return Undoable(below, ["n", "w", "v"])


def test_what_was_changed_is_as_it_was(state: Undoable, below: MemoryState) -> None:
    cells = state.cells("store.n")
    cells.put(b"a", 1)
    cells.put(b"b", [1])
    before = rows(below, "store.n")
    state.begin()
    cells.put(b"a", 2)
    cells.put(b"a", 3)
    cells.remove(b"a")
    changed = cells.get(b"b")
    changed.append(2)
    cells.put(b"b", changed)
    cells.put(b"c", 1)
    assert (cells.get(b"a"), cells.get(b"b"), cells.count()) == (None, [1, 2], 2)
    state.undo()
    assert rows(below, "store.n") == before


def test_what_is_kept_stays(state: Undoable, below: MemoryState) -> None:
    cells = state.cells("store.n")
    state.begin()
    cells.put(b"a", 1)
    state.keep()
    state.begin()
    state.undo()
    assert rows(below, "store.n") == {"store.n": [(b"a", 1)]}


def test_nothing_else_is_watched(state: Undoable, below: MemoryState) -> None:
    assert state.cells("store.nn") is below.cells("store.nn")
    assert state.cells("n/turns") is below.cells("n/turns")
    assert state.cells("store.n/times") is not below.cells("store.n/times")


@pytest.mark.parametrize("seed", range(20))
def test_stores_of_all_kinds_forget_what_was_undone(seed: int) -> None:
    """Two states get the same, one of them also what is undone."""
    chance, plain, undone = random.Random(seed), MemoryState(), MemoryState()
    state = Undoable(undone, ["n", "w", "v", "s"])
    both = [Stores(plain), Stores(state)]

    def put(stores: Stores, kind: int, key: bytes, time: int, value: int | None) -> None:
        if kind == 0:
            stores.key_value_store("n").put(key, value, ts=time)
        elif kind == 1:
            stores.window_store("w", 50, duplicates=True).put(key, time, value, ts=time)
        elif kind == 2:
            stores.versioned_store("v", 50).put(key, value, ts=time)
        else:
            stores.store_expiry("s", 50).written(key, time)

    for stores in both:  # as for a processor, which has its stores before the first record
        for kind in range(4):
            put(stores, kind, b"", 0, 0)
    for time in range(200):
        what = chance.randrange(4), bytes([chance.randrange(3)]), time + chance.randrange(-40, 40)
        for stores in both:
            put(stores, *what, time)
        state.begin()
        for _ in range(3):
            put(both[1], chance.randrange(4), bytes([chance.randrange(3)]), time + chance.randrange(-40, 400), 7)
        state.undo()
    names = ["store.n", "store.w", "store.w/times", "store.v", "store.s/turns of expiry", "store.s/turn of a key"]
    assert rows(undone, *names) == rows(plain, *names)
    assert repr(undone.memory) == repr(plain.memory)
