"""Every case gives the same on every engine."""

from __future__ import annotations

import pytest

from cases.all import all_cases
from cases.table import Case
from conformance.observed import Observed
from conformance.spark_engine import observe_chosen
from conformance.task_engine import observe


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_on_task(case: Case) -> None:
    compare(case, observe(case))


FORGETFUL = {
    "a-punctuator-by-stream-time-is-aligned-to-zero-and-missed-times-are-one-call": "counts its calls by itself",
    "punctuators-by-the-clock-begin-again-with-the-processor": "has a timer that only sees time between restarts",
}
"""Cases whose processors would have to remember more than their stores: those on Spark begin anew with each batch."""


@pytest.mark.parametrize(
    "case", [case for case in all_cases() if len(case.batches) > 1 and case.id not in FORGETFUL], ids=str
)
def test_on_task_with_restarts(case: Case) -> None:
    compare(case, observe(case, restarting=True))


@pytest.fixture(scope="module")
def on_spark(
    request: pytest.FixtureRequest, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What the cases of this run write on Spark."""
    tests = {f"test_on_spark[{case}]": case for case in all_cases()}
    return observe_chosen(request, tests, broker, tmp_path_factory.mktemp("cases"))


@pytest.mark.spark
@pytest.mark.parametrize("case", [case for case in all_cases() if case.id not in FORGETFUL], ids=str)
def test_on_spark(case: Case, on_spark: dict[str, Observed]) -> None:
    compare(case, on_spark[case.id])
    assert on_spark[case.id].drops == observe(case).drops


def compare(case: Case, observed: Observed) -> None:
    """What an engine wrote, batch by batch, is what the case wants."""
    for number, batch in enumerate(case.batches):
        for expectation in batch.expectations:
            expectation.check(*observed.after(number, expectation.topic))
