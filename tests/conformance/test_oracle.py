"""Generated topologies write what Kafka Streams 4.3.1 wrote for them: a recorded sample, see oracle_live.py.

Some of them run on Spark in each run of the suite; spark_live.py runs hundreds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cases.table import Case
from conformance.oracle_build import OPS, missing
from conformance.oracle_compare import difference, lost_there, versions_hidden
from conformance.oracle_live import Pair, recorded
from conformance.oracle_losses import RULES
from conformance.spark_engine import observe_all
from conformance.spark_live import as_if_single, mixed_lanes, settling, unlike_kafka, unlike_tasks

PAIRS = recorded()

# Always the same on Spark: which of two repartitions comes first at equal times is not what Kafka Streams' driver does.
SEED = 1


@pytest.mark.parametrize(("case", "answer"), [pytest.param(*pair, id=pair[0]["id"]) for pair in PAIRS])
def test_as_kafka_streams(case: dict[str, Any], answer: dict[str, Any]) -> None:
    assert not missing(case["nodes"])
    found = difference(case, answer)
    assert found is None, found


def test_the_sample_has_every_operator_and_every_loss() -> None:
    assert {spec["op"] for case, _ in PAIRS for spec in case["nodes"]} == set(OPS)
    lost = {rule for case, answer in PAIRS[:40] for rule in lost_there(case, answer)}
    assert lost >= {rule.__name__ for rule in RULES}


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_on_spark_as_kafka_streams(broker: str, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with versions_hidden():
        chosen = chosen_for_spark(8, chance, lambda spec: as_if_single(spec, chance, most=3))
        observed = observe_all([case for _, case in chosen], broker, tmp_path)
        found = [(case.id, unlike_kafka(*pair, case, observed[case.id])) for pair, case in chosen]
    differing = [f"{name}: {text}" for name, text in found if text]
    assert not differing, "\n".join(differing)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("share", [0.0, 0.25], ids=["in-spark", "some-in-python"])
def test_on_spark_as_on_tasks_when_settled(share: float, broker: str, tmp_path: Path) -> None:
    chance = random.Random(SEED + share)
    with versions_hidden(), mixed_lanes(share):
        chosen = chosen_for_spark(6, chance, lambda spec: settling(spec, chance))
        observed = observe_all([case for _, case in chosen], broker, tmp_path)
        found = [(case.id, unlike_tasks(case, observed[case.id])) for _, case in chosen]
    differing = [f"{name}: {text}" for name, text in found if text]
    assert not differing, "\n".join(differing)


def chosen_for_spark(
    count: int, chance: random.Random, make: Callable[[dict[str, Any]], Case]
) -> list[tuple[Pair, Case]]:
    """Cases in which Kafka Streams lost nothing, with as many operators as there can be."""
    order = by_new_operators(chance.sample(PAIRS, len(PAIRS)))
    made = ((pair, make(pair[0])) for pair in order if not lost_there(*pair))
    return [one for _, one in zip(range(count), made, strict=False)]


def by_new_operators(pairs: list[Pair]) -> Iterator[Pair]:
    """First the case with most operators, then that with most others, and so on."""
    seen: set[str] = set()
    while pairs:
        ops, best = max(((_ops(pair) - seen, pair) for pair in pairs), key=lambda one: len(one[0]))
        seen = seen | ops if ops else set()
        if ops:
            pairs.remove(best)
            yield best


def _ops(pair: Pair) -> set[str]:
    return {spec["op"] for spec in pair[0]["nodes"]}
