"""Calls that end in any order, or fail: what is sent on is in the order of the records, whatever the batches."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.testing import TopologyTestDriver

Step = tuple[str, int, int]
"""The key, how many milliseconds a call takes, and how many tries of it fail."""


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.integers(0, 3)), max_size=25),
    st.integers(1, 8),
    st.integers(0, 2),
    st.integers(1, 25),
)
def test_results_and_failures_are_in_the_order_of_the_records(
    steps: list[Step], concurrency: int, retries: int, size: int
) -> None:
    tries: dict[str, int] = {}

    async def called(value: str) -> str:
        number, ms, failing = map(int, value.split(" "))
        tries[value] = tries.get(value, 0) + 1
        await asyncio.sleep(ms / 1_000)
        if tries[value] <= failing:
            raise LookupError(str(number))
        return value

    app = Builder("app")
    mapped: Any = app.stream("in", key=hr.STRING, value=hr.STRING).map_values(
        called, concurrency=concurrency, retries=retries, backoff="0ms"
    )
    mapped.to("out")
    mapped.errors().map_values(lambda f: f.value).to("failed")
    given_ = [(key, f"{number} {ms} {failing}") for number, (key, ms, failing) in enumerate(steps)]
    with TopologyTestDriver(app) as driver:
        for first in range(0, len(given_), size):
            with driver.batch():
                driver.input("in").pipe_records(given_[first : first + size])
    fails = [failing > retries for _, _, failing in steps]
    assert driver.output("out").read_all() == [one for one, fail in zip(given_, fails, strict=True) if not fail]
    assert driver.output("failed").read_all() == [one for one, fail in zip(given_, fails, strict=True) if fail]
