"""Materialized tables: their rows are kept only where a store was asked for."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.plan.nodes.base import Node, Unary
from headrace.plan.nodes.count import Emit
from headrace.plan.nodes.expiring import lasting
from headrace.plan.state import StateDescriptor, TableRows


@dataclass(frozen=True, kw_only=True, eq=False)
class Materialized(Node):
    """A table that keeps its rows if its store has a name; then `emit` says which changes are sent on, else all are."""

    store: str | None = None
    emit: Emit = Emit.EVERY

    @property
    def keeps_old(self) -> bool:
        return self.store is not None


@dataclass(frozen=True, kw_only=True, eq=False)
class RowByRow(Unary, Materialized):
    """A table whose rows are computed one by one from another's: what they were is known if it is known there."""

    @property
    def kept_rows(self) -> TableRows | None:
        """Its rows; None if it keeps none."""
        return None if self.store is None else TableRows(store=self.store, adoptable=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return () if self.kept_rows is None else (self.kept_rows,)

    @property
    def knows_old(self) -> bool:
        return self.keeps_old or self.upstream.knows_old


def kept(store: str | None, emit: Emit, ttl_ms: int | None = None) -> str:
    """Store of a table, as `describe()` shows it."""
    return (f", store {store}, emit {emit.value}" if store else "") + lasting(ttl_ms)
