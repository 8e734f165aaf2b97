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

FILE = Path(__file__).parents[2].parent / "shared" / "kstreams-cases.json"
SCENARIOS = [Scenario(raw) for raw in json.loads(FILE.read_text())["scenarios"]] if FILE.is_file() else []
needs_file = pytest.mark.skipif(not SCENARIOS, reason=f"no {FILE.name} in the folder shared/ beside this repository")

# What is not there yet; both lists only ever get shorter.
OPERATORS_TO_COME: set[str] = set()
SCENARIOS_TO_COME: set[str] = set()

# The file is of Kafka Streams 4.0; where 4.3.1 does otherwise (seen by running it), we follow that.
SUPERSEDED = {
    "sg-left-nullmapped": [{"key": n, "value": f"XXX{n}+null", "ts": None, "by": 8} for n in range(4)],
}


def there(scenario: Scenario) -> bool:
    return scenario.operator in BUILDERS and scenario.id not in SCENARIOS_TO_COME


@needs_file
def test_what_is_to_come_is_listed() -> None:
    assert {one.operator for one in SCENARIOS} - set(BUILDERS) == OPERATORS_TO_COME
    assert {one.id for one in SCENARIOS} >= SCENARIOS_TO_COME


def as_of_now(scenario: Scenario) -> Scenario:
    newer = SUPERSEDED.get(scenario.id)
    return scenario if newer is None else Scenario(scenario.raw | {"expected": newer})


@needs_file
@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if there(one)], ids=lambda one: str(one.id))
def test_scenario(scenario: Scenario) -> None:
    check(as_of_now(scenario))


ON_SPARK = {one.id: case for one in SCENARIOS if there(one) and (case := case_of(one))}
"""All but those that tell of changes with old values, which are in no topic."""


@pytest.fixture(scope="module")
def on_spark(
    request: pytest.FixtureRequest, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Observed]:
    """What the scenarios of this run write on Spark."""
    tests = {f"test_scenario_on_spark[{name}]": case for name, case in ON_SPARK.items()}
    return observe_chosen(request, tests, broker, tmp_path_factory.mktemp("scenarios"))


@needs_file
@pytest.mark.spark
@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.id in ON_SPARK], ids=lambda one: one.id)
def test_scenario_on_spark(scenario: Scenario, on_spark: dict[str, Observed]) -> None:
    case = ON_SPARK[scenario.id]
    check_observed(as_of_now(scenario), case, on_spark[case.id])
