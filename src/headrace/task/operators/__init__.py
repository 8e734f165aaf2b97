"""The operators, and which node each of them runs."""

from typing import Any

from headrace.plan.nodes import (
    Branch,
    Count,
    Filter,
    FlatMap,
    FlatMapValues,
    Map,
    MapValues,
    Merge,
    Node,
    Peek,
    Repartition,
    SelectKey,
    Source,
    Split,
    To,
    ToStream,
)
from headrace.task.operators.base import Operator
from headrace.task.operators.branch import SplitOperator
from headrace.task.operators.count import CountOperator
from headrace.task.operators.repartition import RepartitionOperator
from headrace.task.operators.source import SourceOperator
from headrace.task.operators.stateless import (
    FilterOperator,
    FlatMapOperator,
    FlatMapValuesOperator,
    MapOperator,
    MapValuesOperator,
    PassOperator,
    PeekOperator,
    SelectKeyOperator,
)
from headrace.task.operators.to import ToOperator

OPERATORS: dict[type[Node], type[Operator[Any]]] = {
    Branch: PassOperator,
    Count: CountOperator,
    Filter: FilterOperator,
    FlatMap: FlatMapOperator,
    FlatMapValues: FlatMapValuesOperator,
    Map: MapOperator,
    MapValues: MapValuesOperator,
    Merge: PassOperator,
    Peek: PeekOperator,
    Repartition: RepartitionOperator,
    SelectKey: SelectKeyOperator,
    Source: SourceOperator,
    Split: SplitOperator,
    To: ToOperator,
    ToStream: PassOperator,
}

__all__ = ["OPERATORS", "Operator"]
