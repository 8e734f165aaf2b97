"""Expiring rows: nodes of `ttl`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from headrace.model.durations import duration_text
from headrace.plan.nodes.base import Node
from headrace.plan.state import Prefetched, StateDescriptor, TableRows


@dataclass(frozen=True, kw_only=True, eq=False)
class Lasting(Node):
    """A table that may have a ttl.

    A row that was not updated for `ttl_ms` by stream time is deleted before the record that made it so late is handled.
    A record whose row would be gone already is dropped as late.
    """

    store: str | None = None
    ttl_ms: int | None = None

    rows: ClassVar[str | None] = None
    """What there are as many rows of as without a ttl, in words; None if they come and go with another table's."""

    adoptable: ClassVar[bool] = True
    """Whether Kafka Streams keeps the same rows."""

    @property
    def kept_rows(self) -> TableRows:
        """Its rows: without the name of a store it keeps them as well, for somebody may ask for them."""
        return TableRows(store=self.store or unnamed_store(self), ttl_ms=self.ttl_ms, adoptable=self.adoptable)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (self.kept_rows,)

    @property
    def prefetched(self) -> tuple[Prefetched, ...]:
        return (Prefetched(self.kept_rows.store, self.output().key),)

    @property
    def drops_late(self) -> bool:
        return self.ttl_ms is not None

    @property
    def lasts(self) -> tuple[str, ...]:
        return () if self.ttl_ms is None else (f"ttl {duration_text(self.ttl_ms)}",)

    @property
    def grows_with(self) -> str | None:
        return f"the number of its {self.rows}" if self.rows and self.ttl_ms is None else None


def lasting(ttl_ms: int | None) -> str:
    """Expiry of rows, as `describe()` shows it."""
    return "" if ttl_ms is None else f", ttl {duration_text(ttl_ms)}"


def unnamed_store(node: Node) -> str:
    """Name of a store that nobody named: no user's store can be called so."""
    return f"rows of {node.name}"
