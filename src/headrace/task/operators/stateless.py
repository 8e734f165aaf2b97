"""Operators that look at one record, whatever came before it."""

from __future__ import annotations

from pathlib import Path

from headrace.expr import Opaque
from headrace.model.record import Record
from headrace.plan.nodes import Filter, FlatMap, FlatMapValues, Foreach, Map, MapValues, Node, Peek, Print, SelectKey
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
        self.forward(record.with_pair(*self._pair(record)))


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
        for pair in self._pairs(record):
            self.forward(record.with_pair(*pair))


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
    """Shows an expression of every record, or calls a function that does something by itself and gives None."""

    def __init__(self, node: Peek, task: Context) -> None:
        super().__init__(node, task)
        self._shown, self._acts = self.function(node.shown), isinstance(node.shown, Opaque)

    def on_record(self, record: Record) -> None:
        shown = self._shown(record)
        if shown is not None or not self._acts:
            self.task.show(str(shown))
        self.forward(record)


class ForeachOperator(Operator[Foreach]):
    """Calls a function for every record."""

    def __init__(self, node: Foreach, task: Context) -> None:
        super().__init__(node, task)
        self._action = self.function(node.action)

    def on_record(self, record: Record) -> None:
        self._action(record)


class PrintOperator(Operator[Print]):
    """Writes a line for every record, to the console or to a file that begins empty."""

    def __init__(self, node: Print, task: Context) -> None:
        super().__init__(node, task)
        self._text = None if node.mapper is None else self.function(node.mapper)
        self._file = None if node.file is None else Path(node.file)
        begun: set[str] = task.memory.of(node.name, "files begun", set)
        if self._file is not None and str(self._file) not in begun:
            self._file.write_text("", "utf-8")
            begun.add(str(self._file))

    def on_record(self, record: Record) -> None:
        text = f"{record.key}, {record.value}" if self._text is None else self._text(record)
        line = f"[{self.node.label}]: {text}"
        if self._file is None:
            return self.task.show(line)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return None
