"""Every case gives the same on the engine in pure Python, on a real broker, with a restart between any two batches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cases.all import all_cases
from cases.table import Case, Every, Expectation
from conformance import pack
from conformance.observed import Observed
from conformance.spark_engine import observe_chosen
from conformance.task_engine import observe
from conformance.test_cases import FORGETFUL

CASES = {f"test_on_the_python_engine[{case}]": case for case in all_cases() if case.id not in FORGETFUL}


@pytest.fixture(scope="module")
def on_python(
    request: pytest.FixtureRequest, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What the cases of this run write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "RUN", "engine.")
        return observe_chosen(request, CASES, broker, tmp_path_factory.mktemp("cases"), engine="python")


@pytest.mark.spark  # whose client writes the time 0, which that of this engine cannot
@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_on_the_python_engine(case: Case, on_python: dict[str, Observed]) -> None:
    for number, batch in enumerate(case.batches):
        for expectation in batch.expectations:
            _as_written(expectation).check(*on_python[case.id].after(number, expectation.topic))
    assert on_python[case.id].drops == observe(case).drops


def _as_written(expectation: Expectation) -> Expectation:
    """With the first time that this engine's client writes, 1, in place of 0."""
    if not isinstance(expectation, Every):
        return expectation
    return replace(
        expectation, rows=tuple((*row[:2], *(max(ts, 1) for ts in row[2:3]), *row[3:]) for row in expectation.rows)
    )
