"""Aggregations of several streams, window by window."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.plan.nodes.base import Node, NodeFacts
from headrace.plan.nodes.count import Emit
from headrace.plan.schema import Schema
from headrace.plan.state import StateDescriptor, WindowRows


@dataclass(frozen=True, kw_only=True, eq=False)
class WindowedCogroup(Node):
    """The table of several windowed aggregations with one store, each of a stream with an aggregator of its own.

    Each of them has its own stream time. Drops a record of a stream that lags behind the others so far that the store
    has forgotten its window.
    """

    parts: tuple[Node, ...]
    store: str
    emit: Emit

    op = "windowed_cogroup"
    facts = NodeFacts(stateful=True, ends=True, table=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return tuple(one for one in self.parts[0].state if isinstance(one, WindowRows))  # their store is its own

    @property
    def forgets_after_ms(self) -> int | None:
        return self.parts[0].forgets_after_ms

    @property
    def keeps_old(self) -> bool:
        return False

    @property
    def knows_old(self) -> bool:
        return True

    def output(self) -> Schema:
        return self.parts[0].output()

    def detail(self) -> str:
        return f"store {self.store}, emit {self.emit.value}"
