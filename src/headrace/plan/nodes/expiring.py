"""Expiring rows: nodes of `ttl`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from headrace.model.durations import duration_text
from headrace.plan.nodes.base import Node


@dataclass(frozen=True, kw_only=True, eq=False)
class Lasting(Node):
    """A table that may have a ttl.

    A row that was not updated for `ttl_ms` by stream time is deleted before the record that made it so late is handled.
    A record whose row would be gone already is dropped as late.
    """

    ttl_ms: int | None = None

    rows: ClassVar[str | None] = None
    """What there are as many rows of as without a ttl, in words; None if they come and go with another table's."""

    @property
    def drops_late(self) -> bool:
        return self.ttl_ms is not None

    @property
    def grows_with(self) -> str | None:
        return f"the number of its {self.rows}" if self.rows and self.ttl_ms is None else None


def lasting(ttl_ms: int | None) -> str:
    """Expiry of rows, as `describe()` shows it."""
    return "" if ttl_ms is None else f", ttl {duration_text(ttl_ms)}"
