"""The operators a plan is made of, one subject a file."""

from headrace.plan.nodes.base import Facts, Node
from headrace.plan.nodes.branch import Branch, Split
from headrace.plan.nodes.count import Count, Emit
from headrace.plan.nodes.repartition import Repartition
from headrace.plan.nodes.source import Source
from headrace.plan.nodes.stateless import (
    Filter,
    FlatMap,
    FlatMapValues,
    Map,
    MapValues,
    Merge,
    Peek,
    SelectKey,
    ToStream,
)
from headrace.plan.nodes.to import To

__all__ = [
    "Branch",
    "Count",
    "Emit",
    "Facts",
    "Filter",
    "FlatMap",
    "FlatMapValues",
    "Map",
    "MapValues",
    "Merge",
    "Node",
    "Peek",
    "Repartition",
    "SelectKey",
    "Source",
    "Split",
    "To",
    "ToStream",
]
