"""How many different people visit each page in a day, approximately: a HyperLogLog of 1,024 registers a page."""

from dataclasses import dataclass, field
from hashlib import blake2b
from math import log

import headrace as hr

BITS = 10
REGISTERS = 1 << BITS


@dataclass
class Visit:
    page: str
    visitor: str


@dataclass
class Visitors:
    """The longest run of zeros that each register has seen."""

    runs: list[int] = field(default_factory=lambda: [0] * REGISTERS)


def seen(_: str, visit: Visit, visitors: Visitors) -> Visitors:
    number = int.from_bytes(blake2b(visit.visitor.encode(), digest_size=8).digest(), "big")
    register, rest = number % REGISTERS, number >> BITS
    run = 64 - BITS - rest.bit_length() + 1
    if run <= visitors.runs[register]:
        return visitors
    runs = list(visitors.runs)
    runs[register] = run
    return Visitors(runs)


def estimate(visitors: Visitors) -> int:
    empty = visitors.runs.count(0)
    if empty > REGISTERS // 10:  # few visitors: how many registers are empty says more
        return round(REGISTERS * log(REGISTERS / empty))
    mean = REGISTERS / sum(2.0**-run for run in visitors.runs)
    return round(0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * mean)


app = hr.App("distinct-visitors")
visits = app.stream("visits", value=hr.json(Visit))
per_day = (
    visits.group_by(lambda _, visit: visit.page)
    .windowed_by(hr.tumbling("1d"))
    .aggregate(Visitors, seen, store="visitors")
)
counts = per_day.to_stream(lambda window, _: window.key).map_values(estimate)
counts.to("visitors-per-day", value=hr.INT64)

if __name__ == "__main__":
    app.run()
