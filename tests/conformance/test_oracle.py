"""Generated topologies write what Kafka Streams 4.3.1 wrote for them: a recorded sample, see oracle_live.py."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle_build import missing
from conformance.oracle_compare import difference
from conformance.oracle_live import recorded


@pytest.mark.parametrize(("case", "answer"), [pytest.param(*pair, id=pair[0]["id"]) for pair in recorded()])
def test_as_kafka_streams(case: dict[str, Any], answer: dict[str, Any]) -> None:
    assert not missing(case["nodes"])
    found = difference(case, answer)
    assert found is None, found
