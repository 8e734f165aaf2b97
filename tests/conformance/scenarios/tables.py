"""Tables computed from one table."""

from __future__ import annotations

from typing import Any

from conformance.scenarios.scenario import OUT, Build, Scenario
from headrace.dsl import Builder, KTable
from headrace.plan.nodes import Node


def read(app: Builder, s: Scenario) -> None:
    s.table(app).to_stream().to(OUT)


def filtered(app: Builder, s: Scenario) -> Node | None:
    return watched(s.table(app).filter(s.function("predicate", "key, value")), s)


def filtered_not(app: Builder, s: Scenario) -> Node | None:
    return watched(s.table(app).filter_not(s.function("predicate", "key, value")), s)


def mapped_values(app: Builder, s: Scenario) -> Node | None:
    return watched(s.table(app).map_values(s.function("mapper", "value")), s)


def watched(table: KTable[Any, Any], s: Scenario) -> Node | None:
    """The table as a stream, or its node, made to send old values by one who needs them."""
    if not s.config.get("send_old_values"):
        table.to_stream().to(OUT)
        return None
    table.group_by(lambda k, v: (k, v)).count()
    return table._node


BUILDERS: dict[str, Build] = {
    "table.toStream": read,
    "table.filter": filtered,
    "table.filterNot": filtered_not,
    "table.mapValues": mapped_values,
}
