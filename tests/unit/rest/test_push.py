"""What waits for one who watches: all of it, and of one who is slow the last of each key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from headrace.query.requests import Entry
from headrace.query.service.ports import Changed
from headrace.rest.watch.change_buffer import Budget, NobodyTakes, Pending

ROOM = 1 << 20


def changed(offset: int, key: bytes, size: int = 10) -> Changed:
    return Changed(0, offset, key, Entry(key, bytes(size), 0))


def with_pending(work: Callable[[Pending], None], budget: Budget, limit: int = ROOM) -> None:
    async def run() -> None:
        work(Pending(asyncio.get_running_loop(), limit, budget))

    asyncio.run(run())


def all_is_left(budget: Budget) -> bool:
    return budget.take(ROOM) and not budget.take(1)


def test_changes_of_one_key_that_come_together_are_all_told() -> None:
    budget = Budget(ROOM)

    def work(pending: Pending) -> None:
        changes = [changed(offset, b"be") for offset in range(5)]
        pending.tell(changes[:2])
        pending.tell(changes[2:])
        assert pending.take().changes == changes
        assert not budget.take(ROOM)  # it counts until it has been sent
        pending.sent()
        assert (pending.since, pending.conflated) == ({0: 5}, 0)

    with_pending(work, budget)
    assert all_is_left(budget)


def test_of_one_who_is_slow_the_last_of_each_key_waits() -> None:
    budget = Budget(ROOM)

    def work(pending: Pending) -> None:
        for offset in range(2_000):
            pending.tell([changed(offset, b"%d" % (offset % 10), 1_000)])
        taken = pending.take()
        assert [change.offset for change in taken.changes] == list(range(1_990, 2_000))
        assert (pending.since, pending.conflated) == ({0: 2_000}, 1_990)
        again = [changed(offset, b"be") for offset in (2_000, 2_001)]
        pending.tell(again)
        assert pending.take().changes == again  # it has caught up
        pending.close()

    with_pending(work, budget)
    assert all_is_left(budget)


def test_who_has_no_room_for_the_last_of_each_key_is_cut_off() -> None:
    budget = Budget(ROOM)

    def work(pending: Pending) -> None:
        number = 0
        while not pending.closed:
            pending.tell([changed(number, b"%d" % number, 1_000)])
            number += 1
        assert number < 20
        assert pending.take().changes == []

    with_pending(work, budget, limit=10_000)
    assert all_is_left(budget)


def test_what_is_told_at_first_waits_for_its_reader_and_is_never_too_much() -> None:
    budget = Budget(ROOM)
    changes = [changed(offset, b"%d" % offset, 1_000) for offset in range(200)]

    async def run() -> None:
        pending = Pending(asyncio.get_running_loop(), 10_000, budget)
        taken: list[Changed] = []

        async def tell() -> None:
            for change in changes:
                await pending.room(pending.turn)
                pending.tell_first([change], pending.turn)

        telling = asyncio.create_task(tell())
        while len(taken) < len(changes) and not pending.closed:
            await asyncio.wait_for(pending.event.wait(), 10)
            taken += pending.take().changes
            await asyncio.sleep(0)
            assert budget.take(ROOM - 7_000)  # half of the limit, and one more
            budget.take(7_000 - ROOM)
            pending.sent()
        await telling
        assert taken == changes

    asyncio.run(run())
    assert all_is_left(budget)


def test_who_joins_together_has_equal_shares_of_the_room_and_those_that_do_not_read_take_no_more() -> None:
    """A thousand who join and never read what they are told: each holds a part, whatever there is."""
    budget = Budget(1 << 30)
    part = [changed(-1, b"%d" % number, 1_000) for number in range(25)]

    async def run() -> None:
        joining = [Pending(asyncio.get_running_loop(), 16 << 20, budget) for _ in range(1_000)]
        told = dict.fromkeys(joining, 0)
        budget.joining = len(joining)

        async def tell(pending: Pending) -> None:
            while True:
                await pending.room(pending.turn)
                pending.tell_first(part, pending.turn)
                told[pending] += 1

        telling = [asyncio.create_task(tell(one)) for one in joining]
        for _ in range(5):
            for one in joining:
                one.take()  # it is being sent, for ever
            await asyncio.sleep(0)
        assert set(told.values()) == {2}
        assert not budget.take((1 << 30) - (60 << 20))  # about 64 MiB are in use
        assert budget.take((1 << 30) - (70 << 20))
        budget.take((70 << 20) - (1 << 30))
        for task in telling:
            task.cancel()
        await asyncio.gather(*telling, return_exceptions=True)
        for one in joining:
            one.close()

    asyncio.run(run())
    assert budget.take(1 << 30)


def test_one_whose_reader_takes_nothing_for_a_while_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.rest.watch.change_buffer._PATIENCE_S", 0.05)
    monkeypatch.setattr("headrace.rest.watch.change_buffer._LOOK_S", 0.01)

    async def run() -> None:
        pending = Pending(asyncio.get_running_loop(), ROOM, Budget(ROOM))
        pending.tell_first([changed(-1, b"be", ROOM // 2)], pending.turn)
        pending.take()
        with pending.sending(), pytest.raises(NobodyTakes):
            await asyncio.wait_for(pending.room(pending.turn), 10)
        assert pending.too_slow.is_set()

    asyncio.run(run())


def test_who_has_left_or_begun_anew_is_told_no_more_of_what_is_there() -> None:
    def work(pending: Pending) -> None:
        turn = pending.turn
        pending.tell_first([changed(-1, b"be")], turn)
        pending.forget()
        with pytest.raises(NobodyTakes):
            pending.tell_first([changed(-1, b"or")], turn)
        pending.close()
        with pytest.raises(NobodyTakes):
            pending.tell_first([], pending.turn)
        assert pending.take().changes == []

    with_pending(work, Budget(ROOM))


def test_there_is_nowhere_to_go_on_from_before_all_was_told_once() -> None:
    def work(pending: Pending) -> None:
        pending.tell([changed(3, b"be")])
        assert pending.take().since == {}
        pending.is_current()
        assert pending.take().since == {0: 4}
        pending.tell([changed(4, b"be")])
        assert pending.take().since == {0: 5}
        pending.forget()
        pending.tell([changed(9, b"be")])
        assert pending.take().since == {}

    with_pending(work, Budget(ROOM))
