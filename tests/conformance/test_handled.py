"""The cases once more with something else to become of records that fail: where none does, nothing changes.

What may fail runs in other places then, and processors send on later. On Spark it is some of them, or all with
HEADRACE_EVERYTHING.
"""

from __future__ import annotations

import os

import pytest

from cases.all import all_cases
from cases.table import Case
from conformance import pack
from conformance.observed import Observed
from conformance.spark_engine import observe_chosen
from conformance.task_engine import observe
from conformance.test_cases import FORGETFUL, compare
from headrace.plan.handlers import FAIL, SKIP

_EACH = 16

CASES = [case.handled(SKIP) for case in all_cases() if case.on_error == FAIL]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_handled_on_task(case: Case) -> None:
    observed = observe(case)
    compare(case, observed)
    assert observed.drops == observe(case.handled(FAIL)).drops


@pytest.fixture(scope="module")
def handled(
    request: pytest.FixtureRequest, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What they write on Spark."""
    tests = {f"test_handled_on_spark[{case}]": case for case in CASES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "RUN", "handled.")
        return observe_chosen(request, tests, broker, tmp_path_factory.mktemp("handled"))


def _chosen(cases: list[Case]) -> list[Case]:
    running = [case for case in cases if case.id not in FORGETFUL]
    return running if os.environ.get("HEADRACE_EVERYTHING") else running[::_EACH]


@pytest.mark.spark
@pytest.mark.parametrize("case", _chosen(CASES), ids=str)
def test_handled_on_spark(case: Case, handled: dict[str, Observed]) -> None:
    compare(case, handled[case.id])
    assert handled[case.id].drops == observe(case).drops
