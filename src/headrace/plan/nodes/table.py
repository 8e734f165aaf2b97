"""Tables that are read, or made of streams as they are."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.model.durations import duration_text
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.nodes.materialized import Materialized, kept
from headrace.plan.nodes.source import Source
from headrace.plan.state import StateDescriptor, TableRows, Versions


@dataclass(frozen=True, kw_only=True, eq=False)
class TableSource(Source, Materialized, Lasting):
    """The records of a topic as the changes of a table: the last value of each key is its row, None deletes it.

    Drops a record without a key. Records count in the order of the topic, whatever their times. Without the name of a
    store every record is sent on; with one, `emit` says which.
    """

    op = "table"
    facts = NodeFacts(stateful=True, ends=True, table=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (*super().state, self.kept_rows)

    def detail(self) -> str:
        return super().detail() + kept(self.store, self.emit, self.ttl_ms)


@dataclass(frozen=True, kw_only=True, eq=False)
class VersionedTable(TableSource):
    """A topic as a table that knows its rows as of earlier times, `history_ms` back.

    An earlier record does not replace a later one. Drops a record without a key, and one older than the history.
    """

    history_ms: int

    op = "versioned_table"

    @property
    def kept_versions(self) -> Versions:
        """Its versions, which it keeps without the name of a store as well."""
        return Versions(store=self.kept_rows.store, history_ms=self.history_ms)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return tuple(self.kept_versions if isinstance(one, TableRows) else one for one in super().state)

    @property
    def lasts(self) -> tuple[str, ...]:
        return (*super().lasts, f"history {duration_text(self.history_ms)}")

    @property
    def drops_late(self) -> bool:
        return True

    @property
    def versioned(self) -> bool:
        return True

    def detail(self) -> str:
        return f"{super().detail()}, history {duration_text(self.history_ms)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class ToTable(Unary, Materialized, Lasting):
    """The records of a stream as the changes of a table. Drops a record without a key.

    Without the name of a store every record is sent on; with one, `emit` says which.
    """

    op = "to_table"
    facts = NodeFacts(stateful=True, ends=True, table=True, passes=True)

    def detail(self) -> str:
        return kept(self.store, self.emit, self.ttl_ms).removeprefix(", ")
