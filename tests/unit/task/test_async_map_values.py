"""Functions that wait: how many at once, how often, how long, in which loop; and the words of what fails."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder
from headrace.errors import RecordFailed
from headrace.testing import TopologyTestDriver

Function = Callable[[str], Awaitable[Any]]


def app_of(function: Any, *, errors: bool = False, **options: Any) -> Builder:
    app = Builder("app")
    mapped: Any = app.stream("in", key=hr.STRING, value=hr.STRING).map_values(function, **options)
    mapped.to("out", value=hr.STRING)
    if errors:
        mapped.errors().map_values(lambda f: f.error + ": " + f.message).to("failed")
    return app


def run(app: Builder, *values: str) -> TopologyTestDriver:
    with TopologyTestDriver(app) as driver, driver.batch():
        for value in values:
            driver.input("in").pipe(value, key="k")
    return driver


def failure_of(app: Builder, *values: str) -> RecordFailed:
    with pytest.raises(RecordFailed) as caught:
        run(app, *values)
    return caught.value


def values(driver: TopologyTestDriver, topic: str = "out") -> list[Any]:
    return [value for _, value in driver.output(topic).read_all()]


class Flaky:
    """Fails so many times for each value, and notes when it is called."""

    def __init__(self, failures: int, error: BaseException | None = None) -> None:
        self.failures, self.error = failures, error or LookupError("no such shop")
        self.calls: Counter[str] = Counter()
        self.at: list[float] = []

    async def __call__(self, value: str) -> str:
        self.calls[value] += 1
        self.at.append(asyncio.get_running_loop().time())
        if self.calls[value] <= self.failures:
            raise self.error
        return value


# -- at once


@pytest.mark.parametrize("most", [1, 3, 50])
def test_so_many_calls_are_under_way_at_once_and_no_more(most: int) -> None:
    under_way, seen = 0, []

    async def slow(value: str) -> str:
        nonlocal under_way
        under_way += 1
        seen.append(under_way)
        await asyncio.sleep(0.002)
        under_way -= 1
        return value

    driver = run(app_of(slow, concurrency=most), *map(str, range(20)))
    assert values(driver) == [str(n) for n in range(20)]
    assert max(seen) == min(most, 20)


def test_all_calls_are_made_in_one_event_loop_which_is_closed_at_the_end() -> None:
    loops = []

    async def noted(value: str) -> str:
        loops.append(asyncio.get_running_loop())
        return value

    driver = TopologyTestDriver(app_of(noted))
    driver.input("in").pipe("a", key="k")
    driver.input("in").pipe("b", key="k")
    assert loops[0] is loops[1]
    assert not loops[0].is_closed()
    driver.close()
    assert loops[0].is_closed()


def test_it_runs_where_an_event_loop_runs_already() -> None:
    async def notebook() -> list[Any]:
        return values(run(app_of(Flaky(0)), "a", "b"))

    assert asyncio.run(notebook()) == ["a", "b"]


def test_a_driver_that_nobody_closes_leaves_no_open_loop() -> None:
    loops = []

    async def noted(value: str) -> str:
        loops.append(asyncio.get_running_loop())
        return value

    gc.collect()  # what other tests left behind is not to be told of here
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        driver = TopologyTestDriver(app_of(noted))
        driver.input("in").pipe("a", key="k")
        del driver
        gc.collect()
    assert [loop.is_closed() for loop in loops] == [True]
    assert caught == []


def test_each_try_gets_a_value_of_its_own() -> None:
    seen = []

    async def changing(value: dict[str, int]) -> str:
        seen.append(dict(value))
        value["a"] = 0
        if len(seen) < 2:
            raise ValueError
        return "done"

    app = Builder("app")
    read = app.stream("in", key=hr.STRING, value=hr.json())
    read.map_values(changing, retries=1, backoff="0ms").to("out")
    read.to("same")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe({"a": 1}, key="k")
    assert seen == [{"a": 1}, {"a": 1}]
    assert values(driver, "same") == [{"a": 1}]


# -- tries


def test_a_call_that_fails_is_made_again_later_and_later() -> None:
    flaky = Flaky(3)
    assert values(run(app_of(flaky, retries=3, backoff="10ms"), "a")) == ["a"]
    pauses = [after - before for before, after in zip(flaky.at, flaky.at[1:], strict=False)]
    assert [pause >= wanted * 0.9 for pause, wanted in zip(pauses, (0.01, 0.02, 0.04), strict=True)] == [True] * 3


def test_the_last_try_stops_the_application() -> None:
    flaky = Flaky(9)
    failure = failure_of(app_of(flaky, retries=2, backoff="1ms"), "a")
    assert flaky.calls["a"] == 3
    assert failure.reason == "no such shop (the last of 3 tries)"
    assert failure.node.startswith("in.map_values (test_async_map_values.py:")
    assert failure.where == "in-0@0"
    assert failure.__cause__ is flaky.error


def test_the_first_record_that_fails_is_named_whichever_fails_first() -> None:
    async def backwards(value: str) -> str:
        await asyncio.sleep({"a": 0, "b": 0.02, "c": 0.001}[value])
        if value != "a":
            raise ValueError(f"no {value}")
        return value

    failure = failure_of(app_of(backwards), "a", "b", "c")
    assert (failure.reason, failure.where) == ("no b", "in-0@1")


def test_no_call_begins_behind_a_failure_that_stops_the_application() -> None:
    flaky = Flaky(1)
    failure_of(app_of(flaky, concurrency=1), "a", "b")
    assert flaky.calls == {"a": 1}


def test_all_are_called_where_failures_are_read() -> None:
    driver = run(app_of(Flaky(1), errors=True, concurrency=1), "a", "b", "a")
    assert values(driver) == ["a"]
    assert values(driver, "failed") == ["LookupError: no such shop"] * 2
    assert driver.dropped == {("in.map_values", "failed"): 2}


# -- timeouts


async def asleep(_: str) -> str:
    await asyncio.sleep(5)
    return "never"


def test_a_call_that_takes_too_long() -> None:
    failure = failure_of(app_of(asleep, timeout="5ms"), "a")
    assert failure.reason == "took longer than 5ms"
    assert isinstance(failure.__cause__, TimeoutError)
    failure = failure_of(app_of(asleep, timeout="5ms", retries=2, backoff="0ms"), "a")
    assert failure.reason == "took longer than 5ms, 3 times"


def test_tries_that_fail_in_different_ways() -> None:
    tries = 0

    async def other(_: str) -> str:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise LookupError("no such shop")
        return await asleep(_)

    failure = failure_of(app_of(other, timeout="5ms", retries=1, backoff="0ms"), "a")
    assert failure.reason == "took longer than 5ms (the last of 2 tries)"


def test_a_timeout_of_the_function_itself_is_a_failure_like_others() -> None:
    failure = failure_of(app_of(Flaky(1, TimeoutError()), timeout="1s"), "a")
    assert failure.reason == "TimeoutError"


def test_a_call_is_cancelled_when_its_time_is_over_and_may_clean_up() -> None:
    ended = []

    async def cleaning(value: str) -> str:
        try:
            return await asleep(value)
        finally:
            await asyncio.sleep(0.001)
            ended.append(value)

    driver = run(app_of(cleaning, errors=True, timeout="5ms"), "a", "b")
    assert sorted(ended) == ["a", "b"]
    assert values(driver, "failed") == ["TimeoutError: took longer than 5ms"] * 2


def test_a_call_that_comes_back_after_its_time_is_too_late_all_the_same() -> None:
    async def stubborn(value: str) -> str:
        try:
            return await asleep(value)
        except asyncio.CancelledError:
            return "late"

    assert failure_of(app_of(stubborn, timeout="5ms"), "a").reason == "took longer than 5ms"


# -- functions that do odd things


def test_a_function_may_cancel_itself_and_no_other() -> None:
    async def cancelling(value: str) -> str:
        if value == "b":
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        await asyncio.sleep(0)
        return value

    driver = run(app_of(cancelling, errors=True, concurrency=1), "a", "b", "c")
    assert values(driver) == ["a", "c"]
    assert values(driver, "failed") == ["CancelledError: the call was cancelled"]


def test_an_int_has_64_bits() -> None:
    async def large(_: str) -> Any:
        return 2**63

    assert failure_of(app_of(large), "a").reason == f"{2**63} does not fit 64 bits"


def test_a_function_that_hands_a_coroutine_on_is_told_what_to_give() -> None:
    async def inner(value: str) -> str:
        return value

    def outer(*values: Any, **_: Any) -> Any:
        if not isinstance(values[0], str):
            raise TypeError
        return inner(values[0])

    failure = failure_of(app_of(outer), "a")
    assert failure.reason == "it gave a coroutine: give the function itself that is written with async def"


def test_a_record_that_fails_further_on_is_not_taken_for_a_failure_here() -> None:
    app = Builder("app")
    mapped = app.stream("in", key=hr.STRING, value=hr.STRING).map_values(Flaky(0), concurrency=1)
    mapped.errors().map_values(lambda f: f.message).to("failed")
    mapped.map_values(lambda v: 1 // F.integer(v), name="further").to("out")
    failure = failure_of(app, *"1" * 15, "0", "1")
    assert (failure.node.partition(" ")[0], failure.where) == ("further", "in-0@15")
