"""The scenarios of Kafka Streams' own tests, built with our DSL: one module a family of operators.

Each module has `BUILDERS`, from the operator of a scenario to the function that declares its topology.
"""

from conformance.scenarios import (
    aggregates,
    foreign_keys,
    stateless,
    stream_joins,
    suppress,
    table_aggregates,
    table_joins,
    tables,
    windows,
)
from conformance.scenarios.scenario import Build, Scenario

BUILDERS: dict[str, Build] = {
    **stateless.BUILDERS,
    **aggregates.BUILDERS,
    **tables.BUILDERS,
    **table_aggregates.BUILDERS,
    **table_joins.BUILDERS,
    **foreign_keys.BUILDERS,
    **windows.BUILDERS,
    **suppress.BUILDERS,
    **stream_joins.BUILDERS,
}

__all__ = ["BUILDERS", "Build", "Scenario"]
