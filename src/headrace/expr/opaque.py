"""Functions of the user's that stay Python code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from types import CoroutineType
from typing import Any

from headrace.errors import NotTraceable
from headrace.expr.bound import Bound
from headrace.expr.meaning import Compiled


@dataclass(frozen=True)
class Opaque(Bound):
    """A function that could not be traced: it runs as it is in Python, and has no Catalyst form.

    `reason` and `line` say why and where, for whoever wants to run it on Spark. It is given values of its own: what it
    changes in place is seen by nobody else, as if its arguments had come from a topic or a store as bytes. An int that
    it gives has to fit 64 bits, as everywhere.
    """

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    called: str
    reason: str
    line: str

    def sql(self, columns: Mapping[str, str]) -> str:  # noqa: ARG002
        raise self.refusal()

    def refusal(self) -> NotTraceable:
        """The error for an executor that cannot run it."""
        return NotTraceable(self.called, self.reason, self.line)

    def python(self) -> Compiled:
        call, parameters = self.called_with(*self.parameters), self.parameters
        return lambda values: call(*[values[name] for name in parameters])

    def called_with(self, *names: str) -> Callable[..., Any]:
        function, places = self.function, [names.index(name) for name in self.parameters]
        match places:
            case [place]:
                return lambda *values: fitting(function(_own(values[place])))
            case [first, second]:
                return lambda *values: fitting(function(_own(values[first]), _own(values[second])))
            case [first, second, third]:
                return lambda *values: fitting(function(_own(values[first]), _own(values[second]), _own(values[third])))
        return lambda *values: fitting(function(*[_own(values[place]) for place in places]))

    def begun(self) -> Compiled:
        """The Python form of a function written with `async def`: what it gives is still to be awaited."""
        return lambda values: self.function(*[_own(values[name]) for name in self.parameters])


_UNCHANGING = frozenset({str, int, float, bool, bytes, type(None), datetime, Decimal})


def _own(value: Any) -> Any:
    """A value that the function may change in place."""
    kind = type(value)
    if kind in _UNCHANGING:
        return value
    if isinstance(value, tuple) and all(type(one) in _UNCHANGING for one in value):
        return value
    if kind is list:
        return [one if type(one) in _UNCHANGING else _own(one) for one in value]
    if kind is dict:
        return {key: one if type(one) in _UNCHANGING else _own(one) for key, one in value.items()}
    return deepcopy(value)


def fitting(result: Any) -> Any:
    """Result of a function, if it is a value; raises for an int of more than 64 bits, and for an awaitable."""
    kind = type(result)
    if kind is int and not -(2**63) <= result < 2**63:
        raise OverflowError(f"{result} does not fit 64 bits")
    if kind is CoroutineType:
        result.close()
        raise TypeError("it gave a coroutine: give the function itself that is written with async def")
    return result


def shown(function: object) -> str:
    """A function as `describe()` names it."""
    name = getattr(function, "__name__", type(function).__name__)
    return "a lambda" if name == "<lambda>" else f"{name}()"
