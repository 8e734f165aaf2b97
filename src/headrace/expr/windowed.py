"""Typed expressions that make windowed keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headrace.expr.bound import Bound
from headrace.expr.meaning import Compiled
from headrace.model.windows import Windowed


@dataclass(frozen=True)
class InWindow(Bound):
    """`Windowed(key, start, end)`"""

    key: Bound
    start: Bound
    end: Bound

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.key, self.start, self.end)

    def sql(self, columns: Mapping[str, str]) -> str:
        key, start, end = (part.sql(columns) for part in self.parts)
        return f"named_struct('key', {key}, 'start', {start}, 'end', {end})"

    def python(self) -> Compiled:
        key, start, end = (part.python() for part in self.parts)
        return lambda values: Windowed(key(values), start(values), end(values))
