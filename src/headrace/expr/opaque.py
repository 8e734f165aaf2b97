"""Functions of the user's that stay Python code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headrace.errors import NotTraceable
from headrace.expr.bound import Bound, Compiled


@dataclass(frozen=True)
class Opaque(Bound):
    """A function that could not be traced: it runs as it is in Python, and has no Catalyst form.

    `reason` and `line` say why and where, for whoever wants to run it on Spark.
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
        function, parameters = self.function, self.parameters
        match parameters:
            case (one,):
                return lambda values: function(values[one])
            case (first, second):
                return lambda values: function(values[first], values[second])
        return lambda values: function(*[values[name] for name in parameters])
