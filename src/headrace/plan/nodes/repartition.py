"""Moving records to the tasks that own their keys."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.plan.nodes.base import NodeFacts, Unary


@dataclass(frozen=True, kw_only=True, eq=False)
class Repartition(Unary):
    """Records with the same key come together in one task; a record without a key is dropped.

    Inserted where a changed key is looked at; asked for by hand it may name the number of partitions.
    """

    partitions: int | None = None
    partitioner: Bound | None = None
    """Names the partitions by `key`, `value` and `partitions`, instead of the key alone; none drops the record."""
    takes_none: bool = False
    """Whether a record without a key is sent on as well, to any task: somebody behind it wants it."""

    placed: bool = False
    """Whether a pass has put it here: one that the user asked for stays where it is."""

    op = "repartition"
    facts = NodeFacts(cuts=True, passes=True)

    @property
    def window_bytes(self) -> int:
        return 0  # the whole key brings a record to its task

    def detail(self) -> str:
        by = str(self.partitioner) if self.partitioner else "key"
        return f"by {by} into {self.partitions}" if self.partitions else f"by {by}"
