"""Operators that look at one record and remember nothing."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import Filter, FlatMap, FlatMapValues, Map, MapValues, Node, Peek, SelectKey
from headrace.task.context import Context
from headrace.task.operators.base import Operator
from headrace.task.operators.results import list_function, pair_function, pairs_function


class PassOperator(Operator[Node]):
    """Sends on what comes in: for nodes whose whole meaning is where they stand."""

    def on_record(self, record: Record) -> None:
        self.forward(record)


class FilterOperator(Operator[Filter]):
    """Keeps the records whose predicate is true; None is not."""

    def __init__(self, node: Filter, task: Context) -> None:
        super().__init__(node, task)
        self._predicate = self.function(node.predicate)

    def on_record(self, record: Record) -> None:
        if bool(self._predicate(record)) is self.node.keep:
            self.forward(record)


class MapOperator(Operator[Map]):
    """Gives every record a new key and value."""

    def __init__(self, node: Map, task: Context) -> None:
        super().__init__(node, task)
        self._pair = pair_function(self, node.pair)

    def on_record(self, record: Record) -> None:
        key, value = self._pair(record)
        self.forward(record.with_pair(key, value))


class MapValuesOperator(Operator[MapValues]):
    """Gives every record a new value."""

    def __init__(self, node: MapValues, task: Context) -> None:
        super().__init__(node, task)
        self._value = self.function(node.value)

    def on_record(self, record: Record) -> None:
        self.forward(record.with_value(self._value(record)))


class FlatMapOperator(Operator[FlatMap]):
    """Makes any number of records of each."""

    def __init__(self, node: FlatMap, task: Context) -> None:
        super().__init__(node, task)
        self._pairs = pairs_function(self, node.pairs)

    def on_record(self, record: Record) -> None:
        for key, value in self._pairs(record):
            self.forward(record.with_pair(key, value))


class FlatMapValuesOperator(Operator[FlatMapValues]):
    """Makes any number of records of each, all with its key."""

    def __init__(self, node: FlatMapValues, task: Context) -> None:
        super().__init__(node, task)
        self._values = list_function(self, node.values)

    def on_record(self, record: Record) -> None:
        for value in self._values(record):
            self.forward(record.with_value(value))


class SelectKeyOperator(Operator[SelectKey]):
    """Gives every record a new key."""

    def __init__(self, node: SelectKey, task: Context) -> None:
        super().__init__(node, task)
        self._key = self.function(node.key)

    def on_record(self, record: Record) -> None:
        self.forward(record.with_key(self._key(record)))


class PeekOperator(Operator[Peek]):
    """Shows an expression of every record."""

    def __init__(self, node: Peek, task: Context) -> None:
        super().__init__(node, task)
        self._shown = self.function(node.shown)

    def on_record(self, record: Record) -> None:
        self.task.show(str(self._shown(record)))
        self.forward(record)
