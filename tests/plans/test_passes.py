"""A pass changes no answer."""

from __future__ import annotations

from collections import Counter

import pytest

from cases.all import all_cases
from cases.table import Case
from conformance.pack import plan_of
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.passes.pipeline import rewrite
from headrace.plan.graph import Plan
from headrace.task.loop import Loop


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_a_rewritten_plan_writes_the_same(case: Case) -> None:
    plan = plan_of(case)
    assert written(case, rewrite(plan)) == written(case, plan)


def written(case: Case, plan: Plan) -> list[Counter[RawRecord]]:
    """What the plan writes, batch by batch; nothing is promised about the order between topics and keys."""
    clock = SetClock()
    loop = Loop(plan, clock, show=lambda _: None)
    found = []
    for number, batch in enumerate(case.batches):
        clock.set(clock.now_ms() + batch.clock_ms)
        found.append(Counter(raw for _, raw in loop.run(_input(loop, case, number))))
    return found


def _input(loop: Loop, case: Case, number: int) -> list[RawRecord]:
    records = []
    for put in case.batches[number].puts:
        source = loop.source_of(put.topic)
        for record in put.records:
            records.append(
                RawRecord(
                    topic=put.topic,
                    key=source.key.encode(record.key),
                    value=source.value.encode(record.value),
                    ts=record.ts,
                    headers=record.headers,
                )
            )
    return records
