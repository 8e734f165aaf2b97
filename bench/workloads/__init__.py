"""The workloads by name."""

from __future__ import annotations

from bench.workloads.base import Workload
from bench.workloads.python import P1, P2, P3
from bench.workloads.queries import Queries
from bench.workloads.recovery import Recovery
from bench.workloads.soak import Soak
from bench.workloads.w1 import W1a, W1b
from bench.workloads.w2 import W2, Chain
from bench.workloads.w3 import W3
from bench.workloads.w4 import W4
from bench.workloads.w5 import W5

_ALL: tuple[Workload, ...] = (
    W1a(),
    W1b(),
    W2("W2", 10_000),
    W2("W2-1M", 1_000_000),
    W3(),
    W4(),
    W5(),
    P1(),
    P2(),
    P3(),
    W2("turns-1M", 1_000_000, value=100, in_turn=True),
    W2("turns-10M", 10_000_000, value=100, in_turn=True),
    Chain(1),
    Chain(3),
    Recovery(),
    Queries(),
    Soak(),
)
WORKLOADS = {workload.name: workload for workload in _ALL}
