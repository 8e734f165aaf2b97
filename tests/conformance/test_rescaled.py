"""State that goes to more tasks and comes back between two batches is as if it had stayed: of every kind of store."""

from __future__ import annotations

import os

import pytest

from cases import restart
from cases.all import all_cases
from cases.table import Case
from conformance import pack
from conformance.observed import Observed
from conformance.pack import PackedApp
from conformance.spark_engine import observe_chosen
from conformance.test_cases import FORGETFUL, compare
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.passes.pipeline import rewrite
from headrace.runtime.rescale.rescale import rescaling
from headrace.runtime.state_key import codec_of
from headrace.spark.session.spark import Session

EVERYTHING = [case for case in all_cases() if len(case.batches) > 1]
CASES = [
    case
    for case in (EVERYTHING if os.environ.get("HEADRACE_EVERYTHING") else restart.CASES)
    if case.id not in FORGETFUL
]
"""Those of restarts have all that operators remember; all of them take long."""


@pytest.fixture(scope="module")
def rescaled(
    request: pytest.FixtureRequest, broker: str, spark: Session, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What the cases write when one task becomes three, and these one again, between their batches."""

    def between(app: PackedApp) -> None:
        for tasks in (3, 1):
            checkpoint = Checkpoint(app.id, app.checkpoint.directory)
            with rescaling(rewrite(app.plan()), checkpoint, tasks, broker, {}, codec_of(app)) as found:
                assert found.carry_out(spark) > 0

    tests = {f"test_with_other_tasks_between[{case}]": case for case in CASES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "RUN", "rescaled.")
        return observe_chosen(request, tests, broker, tmp_path_factory.mktemp("rescaled"), between)


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=str)
def test_with_other_tasks_between(case: Case, rescaled: dict[str, Observed]) -> None:
    compare(case, rescaled[case.id])
