"""Options of sources and sinks as users write them: where times come from, where reading begins, which partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headrace.build.functions import KEY_VALUE, Check, bound_on, exactly
from headrace.errors import OptionInvalid, WrongType
from headrace.expr import Bound, Expr
from headrace.model.types import INT, NONE, OBJECT, STR, ListType, Type
from headrace.plan.nodes import Source, Start, Times
from headrace.plan.schema import Schema
from headrace.serde import Serde

Timestamp = Callable[..., int | Expr] | Expr | str
"""`lambda key, value: ...` in milliseconds, or one of the words of `Times`."""

Partitioner = Callable[..., int | Iterable[int] | Expr | None] | Expr
"""`lambda key, value, partitions: ...`: a partition, several, none ([]), or None for the usual one."""

_TIMES = (KEY_VALUE, (*KEY_VALUE, "timestamp"), (*KEY_VALUE, "timestamp", "partition_time"))
_PARTITIONS = ((*KEY_VALUE, "partitions"), ("topic", *KEY_VALUE, "partitions"))


def times_of(option: Timestamp | None, key: Serde[Any], value: Serde[Any], here: str) -> Times | Bound | None:
    """Timestamp policy of a source; None if nothing was said."""
    if option is None:
        return None
    if isinstance(option, Expr) or callable(option):
        symbols = {"key": key.type, "value": value.type, "timestamp": INT, "partition_time": INT}
        return bound_on("timestamp", option, _TIMES, symbols, here, exactly(INT, "the time"))
    try:
        return Times(option)
    except ValueError:
        words = ", ".join(f'"{one.value}"' for one in Times)
        raise OptionInvalid("timestamp", option, f"{words} or a function (key, value) in ms", here) from None


def start_of(option: str | None, here: str) -> Start | None:
    """Start offset of a source; None if nothing was said."""
    try:
        return None if option is None else Start(option)
    except ValueError:
        raise OptionInvalid("start", option, '"earliest" or "latest"', here) from None


def check_same(known: Source, here: str, **given: object) -> None:
    """Raise if a source that is read again is told something else than the first time."""
    for option, value in given.items():
        first = getattr(known, option)
        if value is not None and value != first:
            shown = first.value if isinstance(first, Times | Start) else str(first)
            told = value.value if isinstance(value, Times | Start) else str(value)
            raise OptionInvalid(option, told, f"{shown!r}, as at {known.origin}, or leave it out", here)


def partitioner_of(op: str, option: Partitioner | None, schema: Schema, here: str) -> Bound | None:
    """The partitioner of a sink or a repartition."""
    if option is None:
        return None
    symbols = {"key": schema.key.type, "value": schema.value.type, "partitions": INT, "topic": STR}
    return bound_on(op, option, _PARTITIONS, symbols, here, Check(_partitions, OBJECT))


def _partitions(found: Type, here: str) -> None:
    one = found.element if isinstance(found, ListType) else found
    if one not in (INT, NONE, OBJECT):
        raise WrongType("the partition", found, "int or a list of int", here)
