"""Dropping records that have come before."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.model.durations import duration_text
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.state import StateDescriptor, StreamTime, WindowLists


@dataclass(frozen=True, kw_only=True, eq=False)
class DropDuplicates(Unary):
    """The first record of each key, or of each key and id, within some time of the record itself.

    A record is a duplicate if one with the same key and id was sent on whose time is less than `within_ms` away,
    earlier or later. Drops duplicates, records without a key, and those that lie `within_ms` or more behind stream
    time, which is the latest of all records seen: what was sent on around them is not known any more. A record without
    an id is sent on.
    """

    id: Bound | None
    within_ms: int
    store: str

    op = "drop_duplicates"
    facts = NodeFacts(stateful=True)

    @property
    def kept_ms(self) -> int:
        """How long it knows a record: one that is not late asks `within_ms` back, and lies that much behind itself."""
        return 2 * self.within_ms

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (WindowLists(store=self.store, kept_ms=self.kept_ms, composed=self.id is not None), StreamTime())

    @property
    def lasts(self) -> tuple[str, ...]:
        return (f"within {duration_text(self.within_ms)}",)

    @property
    def drops_late(self) -> bool:
        return True

    def detail(self) -> str:
        by = "key" if self.id is None else f"key and {self.id}"
        return f"by {by}, within {duration_text(self.within_ms)}, store {self.store}"
