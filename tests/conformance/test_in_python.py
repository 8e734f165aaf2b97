"""The cases once more, with everything in Python processes: some of them, or all with HEADRACE_EVERYTHING."""

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
from headrace.spark.layout import lanes

_EACH = 16


@pytest.fixture(scope="module")
def in_python(
    request: pytest.FixtureRequest, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What they write if all of it runs in Python processes."""
    tests = {f"test_in_python_processes[{case}]": case for case in all_cases()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "why_python", lambda _: "a test wants it")
        patch.setattr(pack, "RUN", "python.")
        return observe_chosen(request, tests, broker, tmp_path_factory.mktemp("lane"))


def _chosen(cases: list[Case]) -> list[Case]:
    """Some of many: all of them take as long as the rest of the suite."""
    running = [case for case in cases if case.id not in FORGETFUL]
    return running if os.environ.get("HEADRACE_EVERYTHING") else running[::_EACH]


@pytest.mark.spark
@pytest.mark.parametrize("case", _chosen(all_cases()), ids=str)
def test_in_python_processes(case: Case, in_python: dict[str, Observed]) -> None:
    compare(case, in_python[case.id])
    assert in_python[case.id].drops == observe(case).drops
