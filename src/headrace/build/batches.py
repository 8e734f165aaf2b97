"""Functions of many records at once."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from headrace.build.async_calls import whole
from headrace.build.declared import Declared
from headrace.build.functions import check_ordinary
from headrace.errors import ArrowMissing, ColumnTaken, OptionInvalid
from headrace.expr import Expr, check_parameters
from headrace.expr.opaque import shown
from headrace.model.types import OBJECT, StructType, Type
from headrace.plan.nodes import MapBatches, Node
from headrace.plan.schema import Field
from headrace.serde import Serde


def map_batches(
    declared: Declared,
    node: Node,
    function: Any,
    *,
    value: Serde[Any] | None = None,
    size: int,
    name: str | None = None,
    here: str,
) -> Node:
    """Map of a stream by a function of a `pyarrow.Table` of up to `size` records."""
    if find_spec("pyarrow") is None:
        raise ArrowMissing(here)
    if not callable(function) or isinstance(function, Expr):
        raise OptionInvalid("function", function, "map_batches a function of a pyarrow.Table", here)
    check_ordinary("map_batches", function, here)
    check_parameters(function, ("table",), "the function of map_batches", here)
    if value is not None and not isinstance(value, Serde):
        raise OptionInvalid("value", value, "the serde of the new values, such as hr.INT64 or hr.json()", here)
    _check_columns(node.output().value.type, here)
    field = Field(OBJECT) if value is None else Field.of(value)
    return declared.follow(
        MapBatches,
        node,
        "map_batches",
        name,
        here,
        function=function,
        shown=shown(function),
        value=field,
        size=whole("size", size, 1, here),
    )


def _check_columns(type_: Type, here: str) -> None:
    fields = type_.fields if isinstance(type_, StructType) else ()
    for field in fields:
        if field.name in ("key", "timestamp"):
            raise ColumnTaken(type_, field.name, here)
