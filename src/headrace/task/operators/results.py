"""Results of users' functions where more than one value is wanted: pairs, and lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headrace.expr import Bound
from headrace.model.record import Record
from headrace.task.operators.base import Operator


def pair_function(operator: Operator[Any], bound: Bound) -> Callable[[Record], tuple[Any, Any]]:
    """A function that gives (key, value)."""
    compute = operator.function(bound)
    return lambda record: _pair(operator, record, compute(record))


def list_function(operator: Operator[Any], bound: Bound) -> Callable[[Record], list[Any]]:
    """A function that gives any number of things: a list, or whatever else can be listed but a text or a dict.

    A generator runs here to its end, so that what it raises names the node and the record.
    """
    compute = operator.function(bound, never_none="a list")

    def call(record: Record) -> list[Any]:
        found = compute(record)
        if isinstance(found, list):
            return found
        if not isinstance(found, Iterable) or isinstance(found, str | bytes | Mapping):
            raise operator.failed(record, f"{found!r} is not a list")
        try:
            return list(found)
        except Exception as exc:
            raise operator.failed(record, str(exc)) from exc

    return call


def pairs_function(operator: Operator[Any], bound: Bound) -> Callable[[Record], list[tuple[Any, Any]]]:
    """A function that gives any number of (key, value)."""
    compute = list_function(operator, bound)
    return lambda record: [_pair(operator, record, found) for found in compute(record)]


def _pair(operator: Operator[Any], record: Record, found: Any) -> tuple[Any, Any]:
    if isinstance(found, tuple | list) and len(found) == 2:
        return found[0], found[1]
    raise operator.failed(record, f"{found!r} is not (key, value)")
