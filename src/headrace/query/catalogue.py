"""Catalogue of the stores of an application that can be queried, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog
from headrace.serde import Serde, SessionWindowedSerde, TimeWindowedSerde


class StoreKind(Enum):
    """Kind of a store, by its keys: plain, windowed, or of sessions."""

    TABLE = "table"
    WINDOWS = "windows"
    SESSIONS = "sessions"


@dataclass(frozen=True)
class Queryable:
    """A store with a changelog."""

    name: str
    topic: str
    """Of its changelog."""

    key: Serde[Any]
    """With the window, where there is one."""

    value: Serde[Any]
    retention_ms: int | None
    """How long windows are kept after they begin, of sessions after they end. The changelog says when one is gone."""

    @property
    def kind(self) -> StoreKind:
        """Kind of the store, by its keys."""
        if isinstance(self.key, TimeWindowedSerde):
            return StoreKind.WINDOWS
        return StoreKind.SESSIONS if isinstance(self.key, SessionWindowedSerde) else StoreKind.TABLE


def catalogue(plan: Plan) -> dict[str, Queryable]:
    """The stores of a plan that have changelogs, by name."""
    return {
        node.table: Queryable(node.table, str(node.topic), node.key, node.value, node.retention_ms)
        for node in plan.of(Changelog)
    }


def servers_topic(app: str) -> str:
    """The topic on which the instances of an application tell one another what they hold."""
    return f"{app}-query-servers"
