"""Batch functions behind a stream, as users call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from headrace.build.batches import map_batches
from headrace.dsl import stream as streams
from headrace.plan.nodes import Node
from headrace.plan.origin import origin
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.build.declared import Declared
    from headrace.dsl.stream import KStream

K = TypeVar("K")
V = TypeVar("V")
V2 = TypeVar("V2")

Table = Any
"""A pyarrow.Table: pyarrow is there only if the user has it."""


class BatchedStream(Generic[K, V]):
    """The part of a stream that hands many of its records at once to a function."""

    _declared: Declared
    _node: Node

    @overload
    def map_batches(
        self, function: Callable[[Table], Table], *, value: Serde[V2], size: int = 1000, name: str | None = None
    ) -> KStream[K, V2]: ...

    @overload
    def map_batches(
        self, function: Callable[[Table], Table], *, value: None = None, size: int = 1000, name: str | None = None
    ) -> KStream[K, Any]: ...

    def map_batches(
        self,
        function: Callable[[Table], Table],
        *,
        value: Serde[Any] | None = None,
        size: int = 1000,
        name: str | None = None,
    ) -> KStream[K, Any]:
        """New values for up to `size` records at once, from a function of a `pyarrow.Table` that gives another.

        The table has a row for each record, with the columns `key` and `timestamp` (milliseconds), and `value`; where
        values are records with known fields, it has a column for each field instead of `value`. The function gives as
        many rows, in the same order. If `value` is the only column beside `key` and `timestamp`, it has the new values;
        otherwise each is a dict of the other columns, or a record of the class that `value=` says. Keys, times and
        headers stay. Needs pyarrow: `pip install "headrace[arrow]"`.

            def scored(table):
                return table.append_column("score", model.predict(table["amount"]))

            orders.map_batches(scored, value=hr.json(Scored))
        """
        node = map_batches(self._declared, self._node, function, value=value, size=size, name=name, here=origin())
        return streams.KStream(self._declared, node)
