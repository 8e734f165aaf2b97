"""The operators a plan is made of, one subject a file."""

from headrace.plan.nodes.aggregate import Aggregate, Cogroup, Initial, Reduce
from headrace.plan.nodes.async_map_values import AsyncMapValues
from headrace.plan.nodes.base import Node, NodeFacts, SideOutput
from headrace.plan.nodes.branch import Branch, Split
from headrace.plan.nodes.count import Count, Emit
from headrace.plan.nodes.drop_duplicates import DropDuplicates
from headrace.plan.nodes.fold import Aggregating, Counting, Fold, Reducing
from headrace.plan.nodes.foreign_key_join import ForeignKeyJoin, ForeignKeyMatch, ForeignKeySubscribe
from headrace.plan.nodes.map_batches import MapBatches
from headrace.plan.nodes.process import GlobalStore, Process, ProcessValues, TableTransformValues
from headrace.plan.nodes.repartition import Repartition
from headrace.plan.nodes.side_outputs import Errors, Expired, Late, Skipped
from headrace.plan.nodes.source import Source, Start, Times
from headrace.plan.nodes.stateless import (
    Filter,
    FlatMap,
    FlatMapValues,
    Foreach,
    Map,
    MapValues,
    Merge,
    Peek,
    Print,
    SelectKey,
    ToStream,
)
from headrace.plan.nodes.stream_join import StreamJoin
from headrace.plan.nodes.stream_table_join import GlobalTable, StreamGlobalJoin, StreamTableJoin
from headrace.plan.nodes.suppress import Suppress
from headrace.plan.nodes.table import TableSource, ToTable, VersionedTable
from headrace.plan.nodes.table_aggregate import TableAggregate, TableGroupBy, TableReduce
from headrace.plan.nodes.table_join import JoinSide, TableJoin
from headrace.plan.nodes.table_values import TableFilter, TableMapValues
from headrace.plan.nodes.to import Changelog, DeadLetters, To
from headrace.plan.nodes.windowed import SessionWindowed, SlidingWindowed, TimeWindowed
from headrace.plan.nodes.windowed_cogroup import WindowedCogroup

__all__ = [
    "Aggregate",
    "Aggregating",
    "AsyncMapValues",
    "Branch",
    "Changelog",
    "Cogroup",
    "Count",
    "Counting",
    "DeadLetters",
    "DropDuplicates",
    "Emit",
    "Errors",
    "Expired",
    "Filter",
    "FlatMap",
    "FlatMapValues",
    "Fold",
    "Foreach",
    "ForeignKeyJoin",
    "ForeignKeyMatch",
    "ForeignKeySubscribe",
    "GlobalStore",
    "GlobalTable",
    "Initial",
    "JoinSide",
    "Late",
    "Map",
    "MapBatches",
    "MapValues",
    "Merge",
    "Node",
    "NodeFacts",
    "Peek",
    "Print",
    "Process",
    "ProcessValues",
    "Reduce",
    "Reducing",
    "Repartition",
    "SelectKey",
    "SessionWindowed",
    "SideOutput",
    "Skipped",
    "SlidingWindowed",
    "Source",
    "Split",
    "Start",
    "StreamGlobalJoin",
    "StreamJoin",
    "StreamTableJoin",
    "Suppress",
    "TableAggregate",
    "TableFilter",
    "TableGroupBy",
    "TableJoin",
    "TableMapValues",
    "TableReduce",
    "TableSource",
    "TableTransformValues",
    "TimeWindowed",
    "Times",
    "To",
    "ToStream",
    "ToTable",
    "VersionedTable",
    "WindowedCogroup",
]
