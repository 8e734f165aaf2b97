"""Generated topologies write what Kafka Streams 4.3.1 wrote for them: a recorded sample, see oracle_live.py."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle_build import OPS, missing
from conformance.oracle_compare import difference, lost_there
from conformance.oracle_live import recorded
from conformance.oracle_losses import RULES

PAIRS = recorded()


@pytest.mark.parametrize(("case", "answer"), [pytest.param(*pair, id=pair[0]["id"]) for pair in PAIRS])
def test_as_kafka_streams(case: dict[str, Any], answer: dict[str, Any]) -> None:
    assert not missing(case["nodes"])
    found = difference(case, answer)
    assert found is None, found


def test_the_sample_has_every_operator_and_every_loss() -> None:
    assert {spec["op"] for case, _ in PAIRS for spec in case["nodes"]} == set(OPS)
    lost = {rule for case, answer in PAIRS[:40] for rule in lost_there(case, answer)}
    assert lost >= {rule.__name__ for rule in RULES}
