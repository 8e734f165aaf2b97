"""Typed expressions on records: building them and taking their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Any

from headrace.expr.bound import Bound, quoted, some
from headrace.expr.functions import Null
from headrace.expr.meaning import Compiled
from headrace.expr.sql import converted
from headrace.model.types import StructField, StructType


@dataclass(frozen=True)
class FieldOf(Bound):
    """`order.amount`, or `d["amount"]` where the keys of a dict are known."""

    of: Bound
    name: str
    keyed: bool
    of_none: Null
    """What is meant by a field of None, and by a key that a dict may not have and has not."""

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        whole = self.of.sql(columns)
        if self.of_none is Null.GIVES_NULL:
            return f"{whole}.`{self.name}`{'.value' if self._may_be_absent else ''}"
        if self.of.nullable:
            whole = f"hr_some({whole}, {quoted(self._refusal())})"
        found = f"{whole}.`{self.name}`"
        return f"hr_some({found}, {quoted(self._absence())}).value" if self._may_be_absent else found

    def python(self) -> Compiled:
        whole, get = self.of.python(), self._get()
        if self.of_none is Null.GIVES_NULL:
            return lambda values: None if (found := whole(values)) is None else get(found)
        if self.of.nullable:
            whole = some(whole, self._refusal())
        return lambda values: get(whole(values))

    def _get(self) -> Callable[[Any], Any]:
        if not self.keyed:
            return attrgetter(self.name)
        if self.of_none is Null.GIVES_NULL:
            return methodcaller("get", self.name)
        name, absence = self.name, self._absence()

        def item(whole: dict[str, Any]) -> Any:
            try:
                return whole[name]
            except KeyError:
                raise LookupError(absence) from None

        return item

    def _refusal(self) -> str:
        return f"None has no field {self.name}"

    @property
    def _may_be_absent(self) -> bool:
        field = self.of.type.field(self.name) if isinstance(self.of.type, StructType) else None
        return field is not None and self.keyed and not field.needed

    def _absence(self) -> str:
        return f"there is no {self.name!r}"


@dataclass(frozen=True)
class Struct(Bound):
    """`Order(customer=a, amount=b)`, `{"customer": a, "amount": b}`, or an empty dict, of whatever type."""

    items: tuple[Bound, ...]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return self.items

    def sql(self, columns: Mapping[str, str]) -> str:
        if not isinstance(self.type, StructType):
            return f"CAST(map() AS {self.type.sql})"
        fields = zip(self._struct.fields, self.items, strict=True)
        told = [f"{quoted(field.name)}, {_told(item, field, columns)}" for field, item in fields]
        return f"named_struct({', '.join(told)})"

    def python(self) -> Compiled:
        if not isinstance(self.type, StructType):
            return lambda _: {}
        names = [field.name for field in self._struct.fields]
        forms = [item.python() for item in self.items]
        if self._struct.keyed:
            return lambda values: {name: form(values) for name, form in zip(names, forms, strict=True)}
        make = _maker(self._struct.made_of, names)
        return lambda values: make([form(values) for form in forms])

    @property
    def _struct(self) -> StructType:
        assert isinstance(self.type, StructType)
        return self.type


@dataclass(frozen=True)
class Needed(Bound):
    """A part of a record that cannot be None."""

    of: Bound
    reason: str

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        return f"hr_some({self.of.sql(columns)}, {quoted(self.reason)})"

    def python(self) -> Compiled:
        return some(self.of.python(), self.reason)


def _told(item: Bound, field: StructField, columns: Mapping[str, str]) -> str:
    return f"CAST({converted(item.sql(columns), item.type, field.type)} AS {field.type.sql})"


def _maker(cls: type, names: list[str]) -> Callable[[list[Any]], Any]:
    """Makes an instance without its __init__, which has run with symbols: twice would be once too often."""
    new, put = object.__new__, object.__setattr__

    def make(values: list[Any]) -> Any:
        made: Any = new(cls)
        for name, value in zip(names, values, strict=True):
            put(made, name, value)
        return made

    return make
