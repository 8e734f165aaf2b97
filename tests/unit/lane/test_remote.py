"""State that lies elsewhere is as state in memory, and is written once."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import StateUnreadable, StateUnwritable
from headrace.lane.frames import Reader, Writer
from headrace.lane.remote import RemoteCells, RemoteMemory, Things
from headrace.model.classes import Classes
from headrace.state.cells import MemoryCells
from headrace.state.codec import StateCodec
from headrace.state.pickles import Pickles

CODEC = StateCodec(Classes.here(), Pickles())
THINGS = Things(CODEC, "store 'n'")


class Store:
    """The other end: a store in the place of Spark's."""

    def __init__(self) -> None:
        self.cells: dict[bytes, bytes] = {}
        self.asked = 0

    def ask(self, kind: str, payload: bytes) -> Reader:
        self.asked += 1
        asked = Reader(payload)
        asked.text()
        if kind == "M":
            wanted = asked.column(asked.int32()) or []
            return Reader(Writer().column([self.cells.get(place or b"") for place in wanted]).take())
        if kind == "G":
            return Reader(Writer().part(self.cells.get(asked.data())).take())
        first, behind, most = asked.data(), asked.part(), asked.int32()
        places = sorted(self.cells)
        end = len(places) if behind is None else bisect_left(places, behind)
        found = places[bisect_left(places, first) : end][:most]
        answer = Writer().int32(len(found))
        for place in found:
            answer.part(place).part(self.cells[place])
        return Reader(answer.take())

    def write(self, cells: RemoteCells) -> None:
        for place, data in cells.changes():
            if data is None:
                self.cells.pop(place, None)
            else:
                self.cells[place] = data


PLACES = st.binary(min_size=1, max_size=2)
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "remove", "get", "between", "batch"]), PLACES, PLACES, st.integers(0, 9))
)


@given(STEPS)
def test_it_is_as_in_memory(steps: list[tuple[str, bytes, bytes, int]]) -> None:
    store, memory = Store(), MemoryCells()
    remote = RemoteCells("cells", store, THINGS)  # type: ignore[arg-type]
    for step, place, other, thing in steps:
        if step == "put":
            memory.put(place, thing)
            remote.put(place, thing)
        elif step == "remove":
            memory.remove(place)
            remote.remove(place)
        elif step == "get":
            assert remote.get(place) == memory.get(place)
        elif step == "between":
            first, behind = min(place, other), max(place, other)
            assert list(remote.between(first, behind)) == list(memory.between(first, behind))
            assert list(remote.between(first, None)) == list(memory.between(first, None))
        else:
            store.write(remote)
    store.write(remote)
    assert {place: CODEC.read(data) for place, data in store.cells.items()} == dict(memory.between(b"", None))


def test_a_thing_is_asked_for_once_and_not_at_all_if_it_came_along() -> None:
    store = Store()
    store.cells = {b"a": CODEC.write(1), b"b": CODEC.write(2)}
    remote = RemoteCells("cells", store, THINGS)  # type: ignore[arg-type]
    remote.came_along(b"b", store.cells[b"b"])
    assert [remote.get(place) for place in (b"a", b"a", b"b", b"c", b"c")] == [1, 1, 2, None, None]
    assert store.asked == 3  # whether there is anything, a, and c


def test_where_nothing_lies_nothing_is_asked_for() -> None:
    store = Store()
    remote = RemoteCells("cells", store, THINGS)  # type: ignore[arg-type]
    assert [remote.get(bytes([place])) for place in range(100)] == [None] * 100
    assert store.asked == 1


def test_many_are_asked_for_at_once() -> None:
    store = Store()
    store.cells = {bytes([place]): CODEC.write(place) for place in range(1, 50)}
    remote = RemoteCells("cells", store, THINGS)  # type: ignore[arg-type]
    remote.fetch([bytes([place]) for place in range(100)])
    assert [remote.get(bytes([place])) for place in range(100)] == [None, *range(1, 50), *[None] * 50]
    assert store.asked == 2


def test_long_ranges_come_in_pages() -> None:
    store = Store()
    store.cells = {place.to_bytes(2, "big"): CODEC.write(place) for place in range(1300)}
    remote = RemoteCells("cells", store, THINGS)  # type: ignore[arg-type]
    remote.put((7).to_bytes(2, "big"), "seven")
    found = [thing for _, thing in remote.between(b"", None)]
    assert found == [*range(7), "seven", *range(8, 1300)]


def test_what_is_remembered_is_written_when_it_has_changed() -> None:
    memory = RemoteMemory({}, THINGS)
    seen: dict[str, Any] = memory.of("node", "seen", dict)
    seen["a"] = 1
    written = {place: data for place, data in memory.changes() if data is not None}
    assert memory.changes() == []
    assert RemoteMemory(written, THINGS).of("node", "seen", dict) == {"a": 1}


def test_what_cannot_be_written_or_read_is_told_with_its_store() -> None:
    remote = RemoteCells("cells", Store(), THINGS)  # type: ignore[arg-type]
    remote.put(b"k", object())
    with pytest.raises(StateUnwritable) as unwritable:
        remote.changes()
    assert str(unwritable.value).startswith(
        "store 'n' under b'k' cannot be kept: a builtins.object is in it, which can only be pickled, and there is no"
    )
    with pytest.raises(StateUnreadable) as unreadable:
        remote.came_along(b"k", b"\x80\x05N.")
    assert str(unreadable.value) == (
        "store 'n' under b'k' cannot be read: an earlier version of headrace has pickled it, without a signature\n"
        '  to do: App(pickled_state="trust") reads it, if nobody else could write the checkpoint; or: headrace reset'
    )
