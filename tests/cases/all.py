"""Every table of cases."""

from cases import (
    aggregate,
    async_map_values,
    beside,
    branch,
    count,
    drop_duplicates,
    foreign_key_join,
    handlers,
    idle,
    join_columns,
    join_many,
    map_batches,
    merge,
    process,
    record_tables,
    records,
    repartition,
    restart,
    source,
    stateless,
    stores,
    stream_join,
    stream_table_join,
    suppress,
    table_aggregate,
    table_join,
    tables,
    to,
    ttl,
    versioned_table,
    windowed,
    windowed_cogroup,
)
from cases.table import Case

TABLES = (
    source,
    stateless,
    branch,
    merge,
    repartition,
    count,
    to,
    records,
    record_tables,
    tables,
    aggregate,
    table_aggregate,
    table_join,
    stream_table_join,
    foreign_key_join,
    versioned_table,
    windowed,
    suppress,
    windowed_cogroup,
    stream_join,
    idle,
    beside,
    handlers,
    drop_duplicates,
    ttl,
    process,
    async_map_values,
    map_batches,
    stores,
    join_columns,
    join_many,
    restart,
)


def all_cases() -> list[Case]:
    """The cases of all tables."""
    cases = [case for table in TABLES for case in table.CASES]
    assert len({case.id for case in cases}) == len(cases), "two cases have the same title"
    return cases
