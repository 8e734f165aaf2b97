"""Operators by the node that each of them runs."""

from typing import Any

from headrace.plan.nodes import (
    Aggregate,
    AsyncMapValues,
    Branch,
    Changelog,
    Cogroup,
    Count,
    DeadLetters,
    DropDuplicates,
    Errors,
    Expired,
    Filter,
    FlatMap,
    FlatMapValues,
    Foreach,
    ForeignKeyJoin,
    ForeignKeyMatch,
    ForeignKeySubscribe,
    GlobalStore,
    GlobalTable,
    Late,
    Map,
    MapBatches,
    MapValues,
    Merge,
    Node,
    Peek,
    Print,
    Process,
    ProcessValues,
    Reduce,
    Repartition,
    SelectKey,
    SessionWindowed,
    Skipped,
    SlidingWindowed,
    Source,
    Split,
    StreamGlobalJoin,
    StreamJoin,
    StreamTableJoin,
    Suppress,
    TableAggregate,
    TableFilter,
    TableGroupBy,
    TableJoin,
    TableMapValues,
    TableReduce,
    TableSource,
    TableTransformValues,
    TimeWindowed,
    To,
    ToStream,
    ToTable,
    VersionedTable,
    WindowedCogroup,
)
from headrace.task.operators.aggregate import AggregateOperator, CogroupOperator, ReduceOperator
from headrace.task.operators.async_map_values import AsyncMapValuesOperator
from headrace.task.operators.base import Operator
from headrace.task.operators.branch import SplitOperator
from headrace.task.operators.count import CountOperator
from headrace.task.operators.drop_duplicates import DropDuplicatesOperator
from headrace.task.operators.foreign_key_join import (
    ForeignKeyJoinOperator,
    ForeignKeyMatchOperator,
    ForeignKeySubscribeOperator,
)
from headrace.task.operators.map_batches import MapBatchesOperator
from headrace.task.operators.process import GlobalStoreOperator, ProcessOperator, TableTransformValuesOperator
from headrace.task.operators.repartition import RepartitionOperator
from headrace.task.operators.session_windowed import SessionWindowedOperator
from headrace.task.operators.sliding_windowed import SlidingWindowedOperator
from headrace.task.operators.source import SourceOperator
from headrace.task.operators.stateless import (
    FilterOperator,
    FlatMapOperator,
    FlatMapValuesOperator,
    ForeachOperator,
    MapOperator,
    MapValuesOperator,
    PassOperator,
    PeekOperator,
    PrintOperator,
    SelectKeyOperator,
)
from headrace.task.operators.stream_join import StreamJoinOperator
from headrace.task.operators.stream_table_join import StreamGlobalJoinOperator, StreamTableJoinOperator
from headrace.task.operators.suppress import SuppressOperator
from headrace.task.operators.table import TableSourceOperator, VersionedTableOperator
from headrace.task.operators.table_aggregate import TableAggregateOperator, TableGroupByOperator, TableReduceOperator
from headrace.task.operators.table_join import TableJoinOperator
from headrace.task.operators.table_values import TableFilterOperator, TableMapValuesOperator
from headrace.task.operators.to import ToOperator
from headrace.task.operators.to_stream import ToStreamOperator
from headrace.task.operators.windowed import TimeWindowedOperator
from headrace.task.operators.windowed_cogroup import WindowedCogroupOperator

OPERATORS: dict[type[Node], type[Operator[Any]]] = {
    Aggregate: AggregateOperator,
    AsyncMapValues: AsyncMapValuesOperator,
    Branch: PassOperator,
    Changelog: ToOperator,
    Cogroup: CogroupOperator,
    Count: CountOperator,
    DropDuplicates: DropDuplicatesOperator,
    Errors: PassOperator,
    Skipped: PassOperator,
    Expired: PassOperator,
    Filter: FilterOperator,
    FlatMap: FlatMapOperator,
    FlatMapValues: FlatMapValuesOperator,
    Foreach: ForeachOperator,
    ForeignKeyJoin: ForeignKeyJoinOperator,
    ForeignKeyMatch: ForeignKeyMatchOperator,
    ForeignKeySubscribe: ForeignKeySubscribeOperator,
    GlobalStore: GlobalStoreOperator,
    GlobalTable: TableSourceOperator,
    Late: PassOperator,
    Map: MapOperator,
    MapBatches: MapBatchesOperator,
    MapValues: MapValuesOperator,
    Merge: PassOperator,
    Peek: PeekOperator,
    Print: PrintOperator,
    Process: ProcessOperator,
    ProcessValues: ProcessOperator,
    Reduce: ReduceOperator,
    Repartition: RepartitionOperator,
    SelectKey: SelectKeyOperator,
    SessionWindowed: SessionWindowedOperator,
    SlidingWindowed: SlidingWindowedOperator,
    Source: SourceOperator,
    Split: SplitOperator,
    StreamJoin: StreamJoinOperator,
    Suppress: SuppressOperator,
    StreamGlobalJoin: StreamGlobalJoinOperator,
    StreamTableJoin: StreamTableJoinOperator,
    TableAggregate: TableAggregateOperator,
    TableFilter: TableFilterOperator,
    TableGroupBy: TableGroupByOperator,
    TableJoin: TableJoinOperator,
    TableMapValues: TableMapValuesOperator,
    TableReduce: TableReduceOperator,
    TableSource: TableSourceOperator,
    TableTransformValues: TableTransformValuesOperator,
    TimeWindowed: TimeWindowedOperator,
    To: ToOperator,
    DeadLetters: ToOperator,
    ToStream: ToStreamOperator,
    ToTable: TableSourceOperator,
    VersionedTable: VersionedTableOperator,
    WindowedCogroup: WindowedCogroupOperator,
}

__all__ = ["OPERATORS", "Operator"]
