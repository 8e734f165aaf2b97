"""A table of functions: what names mean in expressions of one language."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.expr.functions.row import Function, Null


class FunctionTable:
    """Functions by their names, and what their language means by a field of None.

    `PYTHON` is one; another language has a table of its own on the same machinery.
    """

    def __init__(self, rows: Iterable[Function], *, field_of_none: Null = Null.RAISES) -> None:
        self.rows, self.field_of_none = tuple(rows), field_of_none
        self._by_name: dict[str, list[Function]] = {}
        for row in self.rows:
            self._by_name.setdefault(row.name, []).append(row)

    def named(self, name: str) -> list[Function]:
        """The overloads of a function."""
        return self._by_name.get(name, [])
