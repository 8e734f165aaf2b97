"""Streams and tables as users declare them: each method makes one node of the plan."""

from headrace.dsl.stream import KStream  # isort: skip  # first: the others refer to it, and it to them
from headrace.dsl.branched import BranchedKStream
from headrace.dsl.builder import Builder
from headrace.dsl.cogrouped import CogroupedKStream
from headrace.dsl.global_table import GlobalKTable
from headrace.dsl.grouped import KGroupedStream
from headrace.dsl.grouped_table import KGroupedTable
from headrace.dsl.table import KTable
from headrace.dsl.windowed import WindowedKStream

__all__ = [
    "BranchedKStream",
    "Builder",
    "CogroupedKStream",
    "GlobalKTable",
    "KGroupedStream",
    "KGroupedTable",
    "KStream",
    "KTable",
    "WindowedKStream",
]
