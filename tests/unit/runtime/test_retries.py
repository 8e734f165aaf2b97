"""Which failures are tried again, how soon, and for how long."""

from __future__ import annotations

import pytest

from headrace.errors import BrokerLost, HeadraceError, QueryFailed, RecordFailed, WorkerLost
from headrace.runtime.life.retries import Retries

LOST = BrokerLost("host:9092", "no answer")


class Watch:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pauses_grow_up_to_the_limit_and_begin_anew_after_a_batch() -> None:
    watch = Watch()
    retries = Retries(120_000, watch)

    def pauses(count: int) -> list[float | None]:
        found = []
        for _ in range(count):
            found.append(retries.pause(LOST))
            watch.now += found[-1] or 0.0
        return found

    assert pauses(9) == [1, 2, 4, 8, 16, 30, 30, 29, None]
    retries.succeed()
    assert pauses(2) == [1, 2]


def test_what_cannot_pass_is_not_tried_again() -> None:
    assert Retries(120_000).pause(RecordFailed("node", "no", None)) is None


def test_no_retries_if_none_are_wanted() -> None:
    assert Retries(0).pause(LOST) is None


def failed(reason: str) -> HeadraceError:
    return QueryFailed("shop", reason, "spark.log")


@pytest.mark.parametrize("failure", [failed("x"), WorkerLost("signal 11 ended it")], ids=lambda one: one.code)
def test_what_nobody_knows_and_a_lost_process_are_tried_three_times_while_it_stays_the_same(
    failure: HeadraceError,
) -> None:
    same = Retries(1_000_000)
    assert [same.pause(failure) is None for _ in range(4)] == [False, False, False, True]


def test_what_nobody_knows_is_tried_again_while_it_changes() -> None:
    other = Retries(1_000_000)
    assert not any(other.pause(failed(str(number % 2))) is None for number in range(8))


def test_a_process_that_is_lost_with_other_records_each_time_is_tried_again() -> None:
    further = Retries(1_000_000)
    places = (f"in-0@{number}" for number in range(8))
    assert not any(further.pause(WorkerLost("signal 11 ended it", place)) is None for place in places)
