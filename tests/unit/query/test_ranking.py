"""Who holds which partition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headrace.query.service.assignment import ranked, wanted

NAMES = st.lists(st.text(min_size=1), min_size=2, max_size=6, unique=True)


@given(NAMES, st.integers(0, 100))
def test_when_one_goes_the_others_keep_their_order(names: list[str], partition: int) -> None:
    order = ranked(names, partition)
    assert sorted(order) == sorted(names)
    assert ranked(names[1:], partition) == [name for name in order if name != names[0]]
    assert ranked(reversed(names), partition) == order


def test_partitions_are_spread() -> None:
    first = [ranked(["a", "b", "c"], partition)[0] for partition in range(300)]
    assert all(70 < first.count(name) < 130 for name in "abc")


@given(NAMES, st.integers(0, 3))
def test_every_partition_has_as_many_holders_as_asked_for(names: list[str], standbys: int) -> None:
    nothing: dict[str, set[int]] = {name: set() for name in names}
    held = {name: wanted(name, nothing, 8, (), standbys) for name in names}
    for partition in range(8):
        holders = [name for name in names if partition in held[name]]
        assert sorted(holders) == sorted(ranked(names, partition)[: standbys + 1])


@given(NAMES, st.integers(0, 2))
def test_what_is_held_is_kept_until_enough_others_answer(names: list[str], standbys: int) -> None:
    *before, me = ranked(names, 0)
    ready: dict[str, set[int]] = {name: set() for name in names}
    for answering, name in enumerate(before):
        assert (0 in wanted(me, ready, 1, {0}, standbys)) == (answering <= standbys)
        ready[name].add(0)
    assert (0 in wanted(me, ready, 1, {0}, standbys)) == (len(before) <= standbys)
