"""Moving records to the tasks that own their keys."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.plan.nodes.base import Facts, Unary


@dataclass(frozen=True, kw_only=True, eq=False)
class Repartition(Unary):
    """Records with the same key come together in one task; a record without a key is dropped.

    Inserted where a changed key is looked at; asked for by hand it may name the number of partitions.
    """

    partitions: int | None = None
    takes_none: bool = False
    """Whether a record without a key is sent on as well, to any task: somebody behind it wants it."""

    placed: bool = False
    """Whether a pass has put it here: one that the user asked for stays where it is."""

    op = "repartition"
    facts = Facts(cuts=True)

    def detail(self) -> str:
        return f"by key into {self.partitions}" if self.partitions else "by key"
