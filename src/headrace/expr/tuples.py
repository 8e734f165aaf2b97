"""Typed expressions on tuples: building them, taking them apart, and computing with the parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headrace.expr.bound import Bound, quoted, some
from headrace.expr.meaning import Compiled
from headrace.expr.sql import converted
from headrace.model.types import StructType, TupleType, keyed_struct


@dataclass(frozen=True)
class Tuple(Bound):
    """`(a, b, c)`"""

    items: tuple[Bound, ...]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return self.items

    def sql(self, columns: Mapping[str, str]) -> str:
        assert isinstance(self.type, TupleType)
        told = zip(self.type.columns, self.items, strict=True)
        return f"named_struct({', '.join(f'{quoted(name)}, {item.sql(columns)}' for name, item in told)})"

    def python(self) -> Compiled:
        forms = [item.python() for item in self.items]
        return lambda values: tuple([form(values) for form in forms])


@dataclass(frozen=True)
class ItemOf(Bound):
    """`pair[0]`. Of no tuple there is no item, unless `or_none`."""

    of: Bound
    index: int
    or_none: bool = False

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        assert isinstance(self.of.type, TupleType)
        whole = self.of.sql(columns)
        if self._refuses_none:
            whole = f"hr_some({whole}, {quoted(self._refusal)})"
        return f"{whole}.`{self.of.type.columns[self.index]}`"

    def python(self) -> Compiled:
        whole, index = self.of.python(), self.index
        if self._refuses_none:
            whole = some(whole, self._refusal)
        return lambda values: None if (found := whole(values)) is None else found[index]

    @property
    def _refuses_none(self) -> bool:
        return self.of.nullable and not self.or_none

    @property
    def _refusal(self) -> str:
        return f"None has no [{self.index}]"


@dataclass(frozen=True)
class WholeKey(Bound):
    """A key of several columns, or none at all if one of them is None: as in SQL, such a key equals no other."""

    of: Bound

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        assert isinstance(self.type, TupleType)
        whole = self.of.sql(columns)
        empty = " OR ".join(f"{whole}.`{name}` IS NULL" for name in self.type.columns)
        return f"if({empty}, NULL, {whole})"

    def python(self) -> Compiled:
        whole = self.of.python()

        def key(values: Mapping[str, Any]) -> Any:
            found = whole(values)
            return None if found is None or any(item is None for item in found) else found

        return key


@dataclass(frozen=True)
class RecordOf(Bound):
    """A key of one or several columns as a record of them, by their names."""

    of: Bound
    names: tuple[str, ...]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        whole, type_ = self.of.sql(columns), self.of.type
        types = type_.items if isinstance(type_, TupleType) else (type_,)
        found = keyed_struct(dict(zip(self.names, types, strict=True)))
        named = f"CAST({whole if isinstance(type_, TupleType) else f'struct({whole})'} AS {found.sql})"
        return f"if({whole} IS NULL, NULL, {converted(named, found, self.type)})"

    def python(self) -> Compiled:
        assert isinstance(self.type, StructType)
        whole, names, make = self.of.python(), self.names, self.type.made_of
        several = isinstance(self.of.type, TupleType)

        def record(values: Mapping[str, Any]) -> Any:
            found = whole(values)
            return None if found is None else make(**dict(zip(names, found if several else (found,), strict=True)))

        return record


@dataclass(frozen=True)
class Given(Bound):
    """An expression on symbols of its own, each given by another expression."""

    of: Bound
    symbols: tuple[tuple[str, Bound], ...]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of, *(given for _, given in self.symbols))

    def sql(self, columns: Mapping[str, str]) -> str:
        return self.of.sql({name: given.sql(columns) for name, given in self.symbols})

    def python(self) -> Compiled:
        whole = self.of.python()
        forms = [(name, given.python()) for name, given in self.symbols]
        return lambda values: whole({name: form(values) for name, form in forms})
