"""Scenarios as cases, which run on Spark."""

from __future__ import annotations

import random
from collections import Counter

from cases.table import Case
from conformance.batches import Unbatched
from conformance.observed import Observed
from conformance.scenarios import BUILDERS
from conformance.scenarios.runner import Row, check_written, checkpoints, emit, fed, inputs, row
from conformance.scenarios.scenario import Scenario
from headrace.dsl import Builder
from headrace.plan.nodes import To


def case_of(scenario: Scenario) -> Case | None:
    """A scenario with few batches, which write what its records write one by one; None if nothing is written."""
    app = Builder(scenario.id)
    if BUILDERS[scenario.operator](app, scenario) is not None:
        return None
    topics = dict.fromkeys(to.topic for to in app.plan().of(To) if isinstance(to.topic, str))
    unbatched = Unbatched(
        title=f"scenario {scenario.id}",
        topology=lambda builder: BUILDERS[scenario.operator](builder, scenario),
        outputs=list(topics),
        inputs=inputs(scenario),
    )
    if emit(scenario) == "settled":
        return unbatched.case(checkpoints(scenario), "settled")
    return unbatched.as_if_single(random.Random(scenario.id))


def check_observed(scenario: Scenario, case: Case, observed: Observed) -> None:
    """Compare all that was written; it was written up to the checkpoints up to which the Python tasks write as much."""
    last = len(case.batches) - 1
    left = {topic: [row(record, topic) for record in observed.after(last, topic)[1]] for topic in case.outputs}
    found: list[list[Row]] = []
    for rows in fed(scenario)[1]:
        counts = Counter(one["topic"] for one in rows)
        found.append([one for topic in case.outputs for one in left[topic][: counts[topic]]])
        left = {topic: mine[counts[topic] :] for topic, mine in left.items()}
    found[-1] += [one for mine in left.values() for one in mine]
    check_written(scenario, found)
