"""The scenarios of Kafka Streams' own tests, strictly, on every engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.observed import Observed
from conformance.scenarios import BUILDERS, Scenario
from conformance.scenarios.on_spark import case_of, check_observed
from conformance.scenarios.runner import check
from conformance.spark_engine import observe_chosen

FILE = Path(__file__).parent / "scenarios" / "scenarios.jsonl"
SCENARIOS = [Scenario(json.loads(line)) for line in FILE.read_text().splitlines()]


def test_every_operator_of_the_scenarios_has_a_builder() -> None:
    assert {one.operator for one in SCENARIOS} <= set(BUILDERS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: str(one.id))
def test_scenario(scenario: Scenario) -> None:
    check(scenario)


ON_SPARK = {one.id: case for one in SCENARIOS if (case := case_of(one))}
"""All but those that tell of changes with old values, which are in no topic."""


@pytest.fixture(scope="module")
def on_spark(
    request: pytest.FixtureRequest, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What the scenarios of this run write on Spark."""
    tests = {f"test_scenario_on_spark[{name}]": case for name, case in ON_SPARK.items()}
    return observe_chosen(request, tests, broker, tmp_path_factory.mktemp("scenarios"))


@pytest.mark.spark
@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.id in ON_SPARK], ids=lambda one: one.id)
def test_scenario_on_spark(scenario: Scenario, on_spark: dict[str, Observed]) -> None:
    case = ON_SPARK[scenario.id]
    check_observed(scenario, case, on_spark[case.id])
