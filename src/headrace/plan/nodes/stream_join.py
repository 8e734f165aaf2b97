"""Joins of two streams."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headrace.expr import Bound
from headrace.model.windows import JoinWindows
from headrace.plan.nodes.base import Node, NodeFacts
from headrace.plan.nodes.table_join import JoinSide
from headrace.plan.schema import Schema
from headrace.plan.state import StateDescriptor, StreamTime, Unmatched, WindowLists

LEFT, RIGHT = SIDES = ("left", "right")


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamJoin(Node):
    """The pairs of records of two streams that have the same key and lie close enough in time.

    A result has the later time of its two records. A left join also sends on each left record that found no partner,
    an outer join those of both sides: when no partner can come any more, at once if the record came that late or has
    no key. Drops any other record without a key, and all without a value. A record that comes so late that no partner
    of it can come any more, finds none and is not sent on alone either, is dropped as late.
    """

    left: Node
    right: Node
    joiner: Bound
    windows: JoinWindows
    side: JoinSide
    store: str
    """Both sides keep their records in stores of this name, the one with `.left`, the other with `.right`."""

    one_store: bool = False
    """Whether both sides are the same stream, whose records are kept once: in the store with `.left`."""

    op = "stream_join"
    facts = NodeFacts(stateful=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        sides = (WindowLists(store=store, kept_ms=self.windows.retention_ms) for store in self.side_stores)
        return (*sides, Unmatched(waits=self.side is not JoinSide.INNER), StreamTime())

    @property
    def lasts(self) -> tuple[str, ...]:
        return (str(replace(self.windows, idle_ms=None)),)

    @property
    def drops_late(self) -> bool:
        return True

    @property
    def side_stores(self) -> tuple[str, str]:
        """The names of the stores of the left and the right side."""
        right = LEFT if self.one_store else RIGHT
        return f"{self.store}.{LEFT}", f"{self.store}.{right}"

    def keeps_unmatched(self, position: int) -> bool:
        """Whether a record of the input at this position is sent on without a partner."""
        return self.side is JoinSide.OUTER or (self.side is JoinSide.LEFT and position == 0)

    def takes_no_key(self, position: int) -> bool:
        return self.keeps_unmatched(position)

    def output(self) -> Schema:
        return self.left.output().with_value(self.joiner.type)

    def detail(self) -> str:
        kept = f"store {self.store}{' for both sides' if self.one_store else ''}"
        return f"{self.side.value}, {self.joiner}, {self.windows}, {kept}"
