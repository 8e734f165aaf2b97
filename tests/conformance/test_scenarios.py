"""The scenarios of Kafka Streams' own tests, strictly, on the Python tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.scenarios import BUILDERS, Scenario
from conformance.scenarios.runner import check

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


@needs_file
@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if there(one)], ids=lambda one: str(one.id))
def test_scenario(scenario: Scenario) -> None:
    newer = SUPERSEDED.get(scenario.id)
    check(scenario if newer is None else Scenario(scenario.raw | {"expected": newer}))
