"""Runs a case in pure Python."""

from __future__ import annotations

from datetime import timedelta

from cases.table import Case
from conformance.observed import Observed
from headrace.testing import TopologyTestDriver


def observe(case: Case, *, restarting: bool = False) -> Observed:
    """What the case writes when its batches run one after the other, with a restart before each if that is wanted."""
    driver = TopologyTestDriver(case.declared())
    observed = Observed()
    for batch in case.batches:
        if batch.restart or restarting:
            driver.restart()
        driver.advance_wall_clock(timedelta(milliseconds=batch.clock_ms))
        with driver.batch():
            for put in batch.puts:
                for record in put.records:
                    driver.input(put.topic).pipe(record.value, key=record.key, ts=record.ts, headers=record.headers)
        observed.add({topic: driver.output(topic).read_records() for topic in case.outputs})
    observed.drops.update(driver.dropped)
    return observed
