"""Typed expressions on members of Enums: their values and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from headrace.expr.bound import Bound, quoted, some
from headrace.expr.meaning import Compiled
from headrace.expr.sql import constant
from headrace.model.types import STR, EnumType, Type


@dataclass(frozen=True)
class OfMember(Bound):
    """`order.size.value` or `order.size.name`."""

    of: Bound
    name: str

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        assert isinstance(self.of.type, EnumType)
        whole = self.of.sql(columns)
        if self.of.nullable:
            whole = f"hr_some({whole}, {quoted(self._refusal)})"
        if self.name == "value":
            return whole  # members are in rows as their values
        names = ", ".join(f"{constant(one.value, self.of.type)}, {quoted(one.name)}" for one in self.of.type.cls)
        return f"element_at(map({names}), {whole})"

    def python(self) -> Compiled:
        member, get = self.of.python(), attrgetter(self.name)
        if self.of.nullable:
            member = some(member, self._refusal)
        return lambda values: get(member(values))

    @property
    def _refusal(self) -> str:
        return f"None has no {self.name}"


def parts_of(type_: EnumType) -> dict[str, Type]:
    """Attributes that every member of an Enum has, with their types."""
    return {"value": type_.of_values, "name": STR}
