"""Cells: things by places, in the order of their bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from headrace.model.classes import Classes
from headrace.state.cells import LATEST, MemoryCells, bytes_time, closed, prefix_end, sized, time_bytes
from headrace.state.codec import StateCodec
from headrace.state.pickles import Pickles
from headrace.state.state import MemoryState


def filled(*places: bytes) -> MemoryCells:
    cells = MemoryCells()
    for place in places:
        cells.put(place, place.decode("latin1"))
    return cells


def places(found: Iterator[tuple[bytes, object]]) -> list[bytes]:
    return [place for place, _ in found]


def test_a_place_has_its_last_thing() -> None:
    cells = filled(b"a")
    cells.put(b"a", 2)
    assert (cells.get(b"a"), cells.get(b"b"), cells.count()) == (2, None, 1)


def test_what_is_not_there_can_be_removed() -> None:
    cells = filled(b"a")
    cells.remove(b"a")
    cells.remove(b"a")
    assert (cells.get(b"a"), places(cells.between(b"", None))) == (None, [])
    cells.remove(b"a")
    assert places(cells.between(b"", None)) == []


def test_places_come_in_the_order_of_their_bytes() -> None:
    cells = filled(b"b", b"", b"\xff", b"a", b"ab")
    assert list(cells.between(b"", None)) == [(b"", ""), (b"a", "a"), (b"ab", "ab"), (b"b", "b"), (b"\xff", "\xff")]
    assert places(cells.between(b"a", b"b")) == [b"a", b"ab"]
    assert places(cells.between(b"b", b"a")) == []
    assert places(cells.between(b"aa", None)) == [b"ab", b"b", b"\xff"]


def test_the_order_follows_what_is_put_and_removed() -> None:
    cells = filled(b"a", b"c")
    assert places(cells.between(b"", None)) == [b"a", b"c"]
    cells.put(b"b", 1)
    cells.put(b"c", 2)
    cells.remove(b"a")
    assert list(cells.between(b"", None)) == [(b"b", 1), (b"c", 2)]
    cells.remove(b"c")
    cells.put(b"c", 3)
    cells.put(b"d", 4)
    cells.remove(b"d")
    assert list(cells.between(b"", None)) == [(b"b", 1), (b"c", 3)]


@pytest.mark.parametrize("changes", [1, 10, 1_000])
def test_a_dict_that_is_sorted_says_the_same(changes: int) -> None:
    chance, cells, model = random.Random(changes), MemoryCells(), dict[bytes, int]()
    for _ in range(20):
        for number in range(changes):
            place = chance.randbytes(chance.randrange(3))
            if chance.random() < 0.6:
                cells.put(place, number)
                model[place] = number
            else:
                cells.remove(place)
                model.pop(place, None)
        first, behind = sorted(chance.randbytes(2) for _ in range(2))
        assert list(cells.between(b"", None)) == sorted(model.items())
        assert list(cells.between(first, behind)) == sorted(one for one in model.items() if first <= one[0] < behind)
        assert cells.count() == len(model)


def test_who_iterates_may_change_what_lies_there() -> None:
    cells = filled(*(bytes([number]) for number in range(200)))
    seen = []
    for place, _ in cells.between(b"", None):
        seen.append(place)
        cells.remove(place)
        cells.put(b"\0" + place, "before it, or just behind")
        list(cells.between(b"", b"\1"))  # brings the places into order meanwhile
    wanted = [bytes([number]) for number in range(200)]
    assert [place for place in seen if len(place) == 1] == wanted
    assert seen == sorted(set(seen))


def test_what_is_removed_further_on_is_given_as_it_was_or_not_at_all() -> None:
    cells = filled(b"a", b"b", b"c")
    found = cells.between(b"", None)
    assert next(found) == (b"a", "a")
    cells.remove(b"b")
    cells.put(b"c", "new")
    assert list(found) == [(b"c", "new")]


def test_one_place_put_again_and_again_while_it_is_given() -> None:
    cells = filled(*(b"%03d" % number for number in range(100)))
    for place, thing in cells.between(b"", None):
        cells.put(place, thing + "!")
    assert [thing for _, thing in cells.between(b"098", None)] == ["098!", "099!"]


def test_a_state_is_copied_with_cells_and_memory() -> None:
    state = MemoryState()
    state.cells("store.s").put(b"a", (1, [2]))
    state.memory.of("node", "what", list[int]).append(2)
    copy = state.copied(StateCodec(Classes.here(), Pickles()))
    assert (copy.cells("store.s").get(b"a"), copy.memory.of("node", "what", list)) == ((1, [2]), [2])
    copy.cells("store.s").get(b"a")[1].append(3)
    copy.memory.of("node", "what", list[int]).append(3)
    assert (state.cells("store.s").get(b"a"), state.memory.of("node", "what", list)) == ((1, [2]), [2])


def test_the_end_of_a_prefix() -> None:
    assert [prefix_end(prefix) for prefix in (b"a", b"a\xff\xff", b"\0", b"", b"\xff")] == [
        b"b",
        b"b",
        b"\1",
        None,
        None,
    ]


def test_times_have_the_order_of_their_bytes() -> None:
    times = [-LATEST - 1, -5, -1, 0, 1, 255, 256, LATEST]
    assert sorted(times, key=time_bytes) == times
    assert [bytes_time(time_bytes(time)) for time in times] == times
    assert {len(time_bytes(time)) for time in times} == {8}
    assert (time_bytes(LATEST + 5), time_bytes(-LATEST - 5)) == (time_bytes(LATEST), time_bytes(-LATEST - 1))


def test_keys_that_something_follows() -> None:
    keys = [b"", b"\0", b"\0\0", b"\0\1", b"\0\xff", b"a", b"a\0", b"a\0b", b"a\1", b"ab", b"\xff"]
    ends = [b"\0", b"\xff"]
    assert sorted((key, end) for key in keys for end in ends) == sorted(
        ((key, end) for key in keys for end in ends), key=lambda one: closed(one[0]) + one[1]
    )
    assert len({sized(key) + end for key in keys for end in [*ends, b""]}) == 3 * len(keys)
