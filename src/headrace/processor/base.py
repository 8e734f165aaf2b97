"""Processors as users write them: a class for what has state or timers, a plain function for the rest."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from headrace.errors import ForwardRefused
from headrace.model.record import Record
from headrace.plan.stores import Store
from headrace.processor.context import ProcessorContext
from headrace.processor.records import FixedKeyRecord

K = TypeVar("K")
V = TypeVar("V")


class _WithLife:
    """Begins with `init`, ends with `close`; every task has its own."""

    stores: ClassVar[Sequence[Store[Any] | str]] = ()
    """The stores it needs, as declared or by name: wherever it is used it is connected to them."""

    def init(self, context: ProcessorContext) -> None:
        """The task begins: take the stores, schedule punctuators. Keeps the context, so call it if you override it."""
        self.context = context

    def close(self) -> None:
        """The task ends."""


class Processor(_WithLife, ABC, Generic[K, V]):
    """Handles records one by one; `K` and `V` are the types of the keys and values that it sends on.

    class Deduplicate(hr.Processor[str, str]):
        stores = (SEEN,)

        def process(self, record: hr.Record) -> None:
            if self.context.store(SEEN).put_if_absent(record.key, True) is None:
                self.context.forward(record)
    """

    @abstractmethod
    def process(self, record: Record) -> None:
        """Handle one record; what is sent on goes through `self.context.forward`."""


class FixedKeyProcessor(_WithLife, ABC, Generic[V]):
    """Handles the records of `process_values` one by one: their keys stay; `V` is the type of the values sent on."""

    @abstractmethod
    def process(self, record: FixedKeyRecord) -> None:
        """Handle one record; what is sent on is made of it with `with_value`, `with_ts` or `with_headers`."""


class ValueTransformer(_WithLife, ABC, Generic[V]):
    """Gives the rows of a table new values, of type `V`; nothing else can be sent on."""

    @abstractmethod
    def transform(self, key: Any, value: Any) -> V | None:
        """The new value of a row; the old one is None for a row that is deleted."""


Results = Iterable[Record] | Record | None
"""What a function in the place of a processor gives: records to send on."""


def required_parameters(function: Callable[..., Any]) -> int | None:
    """How many arguments a function must be given in order; None if nobody knows."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return sum(one.default is one.empty and one.kind <= one.POSITIONAL_OR_KEYWORD for one in parameters)


class FunctionProcessor(Processor[Any, Any]):
    """A function of a record, or of a record and the context, as a processor: what it yields is sent on."""

    def __init__(self, function: Callable[..., Results]) -> None:
        self._function, self._alone = function, required_parameters(function) in (1, None)

    def process(self, record: Record) -> None:
        results: Any = self._function(record) if self._alone else self._function(record, self.context)
        if isinstance(results, Record):
            self.context.forward(results)
        elif results is not None:
            for one in results:
                self.context.forward(one)


class FunctionTransformer(ValueTransformer[Any]):
    """A function of a value, of key and value, or of both and the context, as a transformer."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._takes = function, required_parameters(function)

    def transform(self, key: Any, value: Any) -> Any:
        given = {1: (value,), 2: (key, value)}.get(self._takes or 1, (key, value, self.context))
        return self._function(*given)


def checked_record(record: object) -> Record:
    """Check a record that a processor sends on."""
    if not isinstance(record, Record):
        raise ForwardRefused(
            f"{record!r} is a {type(record).__name__}, only records can be sent on",
            fix="make one with hr.Record(key=..., value=..., ts=...) or record.with_value(...)",
        )
    if record.ts < 0:
        record.with_ts(record.ts)  # raises
    return record
