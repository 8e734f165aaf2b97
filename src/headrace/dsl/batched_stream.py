"""Batch functions behind a stream, as users call them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from headrace.build.async_calls import whole
from headrace.build.functions import check_ordinary, shown
from headrace.dsl import stream as streams
from headrace.errors import ArrowMissing, ColumnTaken, OptionInvalid
from headrace.expr import Expr, check_parameters
from headrace.model.types import OBJECT, StructType, Type
from headrace.plan.nodes import MapBatches, Node
from headrace.plan.origin import origin
from headrace.plan.schema import Field
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
        here = origin()
        if find_spec("pyarrow") is None:
            raise ArrowMissing(here)
        if not callable(function) or isinstance(function, Expr):
            raise OptionInvalid("function", function, "map_batches a function of a pyarrow.Table", here)
        check_ordinary("map_batches", function, here)
        check_parameters(function, ("table",), "the function of map_batches", here)
        if value is not None and not isinstance(value, Serde):
            raise OptionInvalid("value", value, "the serde of the new values, such as hr.INT64 or hr.json()", here)
        _check_columns(self._node.output().value.type, here)
        node = MapBatches(
            name=self._declared.unique(name, f"{self._node.name}.map_batches", here),
            origin=here,
            upstream=self._node,
            function=function,
            shown=shown(function),
            value=Field(OBJECT) if value is None else Field.of(value),
            size=whole("size", size, 1, here),
        )
        return streams.KStream(self._declared, self._declared.add(node))


def _check_columns(type_: Type, here: str) -> None:
    fields = type_.fields if isinstance(type_, StructType) else ()
    for field in fields:
        if field.name in ("key", "timestamp"):
            raise ColumnTaken(type_, field.name, here)
