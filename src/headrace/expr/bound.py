"""Expressions with their types: what plans hold, and what both executors run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from headrace.expr.functions import Function, Null
from headrace.expr.meaning import Compiled, python_form, sql_form
from headrace.expr.sql import constant, converted
from headrace.expr.tree import Scalar
from headrace.model.types import STR, DictType, Type
from headrace.serde.shapes import shape


@dataclass(frozen=True)
class Bound(ABC):
    """An expression whose types are known. Prints as the user wrote it."""

    type: Type
    nullable: bool
    text: str

    @abstractmethod
    def sql(self, columns: Mapping[str, str]) -> str:
        """The Catalyst form, as SQL text; `columns` has the SQL text of each symbol's column."""

    @abstractmethod
    def python(self) -> Compiled:
        """The Python form."""

    def called_with(self, *names: str) -> Callable[..., Any]:
        """The Python form as a function of the values of these symbols, in their order."""
        compute = self.python()
        match names:
            case (first, second):
                return lambda one, two: compute({first: one, second: two})
            case (first, second, third):
                return lambda one, two, three: compute({first: one, second: two, third: three})
        return lambda *values: compute(dict(zip(names, values, strict=True)))

    @property
    def parts(self) -> tuple[Bound, ...]:
        """The expressions it is made of."""
        return ()

    @property
    def may_fail(self) -> bool:
        """Whether computing it can raise."""
        return True

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Input(Bound):
    """A symbol."""

    name: str

    @property
    def may_fail(self) -> bool:
        return False

    def sql(self, columns: Mapping[str, str]) -> str:
        return columns[self.name]

    def python(self) -> Compiled:
        return itemgetter(self.name)


@dataclass(frozen=True)
class Constant(Bound):
    """A literal."""

    value: Scalar

    @property
    def may_fail(self) -> bool:
        return False

    def sql(self, columns: Mapping[str, str]) -> str:  # noqa: ARG002
        return constant(self.value, self.type)

    def python(self) -> Compiled:
        value = self.value
        return lambda _: value


@dataclass(frozen=True)
class Applied(Bound):
    """A function of the table on its arguments."""

    function: Function
    args: tuple[Bound, ...]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return self.args

    def sql(self, columns: Mapping[str, str]) -> str:
        texts = [arg.sql(columns) for arg in self.args]
        for position, reason in self._refusals():
            texts[position] = f"hr_some({texts[position]}, {quoted(reason)})"
        return sql_form(self.function, texts, _Shape(self.args[-1].type), _Shape(_looked_for(self.args)))

    def python(self) -> Compiled:
        forms = [arg.python() for arg in self.args]
        for position, reason in self._refusals():
            forms[position] = some(forms[position], reason)
        return python_form(self.function, forms)

    def _refusals(self) -> list[tuple[int, str]]:
        if self.function.null is not Null.RAISES:
            return []
        return [(place, self.function.refusal(place)) for place, arg in enumerate(self.args) if arg.nullable]


@dataclass(frozen=True)
class Retyped(Bound):
    """An int where a float is needed, or a list known to be empty where a list of something is."""

    of: Bound
    convert: Callable[[Any], Any]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.of,)

    def sql(self, columns: Mapping[str, str]) -> str:
        return converted(self.of.sql(columns), self.of.type, self.type)

    def python(self) -> Compiled:
        form, convert = self.of.python(), self.convert
        return lambda values: None if (found := form(values)) is None else convert(found)


@dataclass(frozen=True)
class Items(Bound):
    """`[a, b]`"""

    items: tuple[Bound, ...]

    @property
    def parts(self) -> tuple[Bound, ...]:
        return self.items

    def sql(self, columns: Mapping[str, str]) -> str:
        listed = f"array({', '.join(item.sql(columns) for item in self.items)})"
        return listed if self.items else f"CAST({listed} AS {self.type.sql})"

    def python(self) -> Compiled:
        forms = [item.python() for item in self.items]
        return lambda values: [form(values) for form in forms]


@dataclass(frozen=True)
class Pair(Bound):
    """`(key, value)`"""

    key: Bound
    value: Bound

    @property
    def parts(self) -> tuple[Bound, ...]:
        return (self.key, self.value)

    def sql(self, columns: Mapping[str, str]) -> str:
        return f"named_struct('key', {self.key.sql(columns)}, 'value', {self.value.sql(columns)})"

    @property
    def may_fail(self) -> bool:
        return self.key.may_fail or self.value.may_fail

    def python(self) -> Compiled:
        key, value = self.key.python(), self.value.python()
        return lambda values: (key(values), value(values))


def _looked_for(args: tuple[Bound, ...]) -> Type:
    """Return the type of a key that is looked for in a dict."""
    return args[1].type if len(args) > 1 and isinstance(args[0].type, DictType) else STR


class _Shape:
    """The shape of a type, for the functions that ask for it."""

    def __init__(self, type_: Type) -> None:
        self._type = type_

    def __format__(self, _: str) -> str:
        return quoted(shape(self._type))


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return constant(text, STR)


def some(form: Compiled, reason: str) -> Compiled:
    """The Python form, which must not give None; else it raises with the reason."""

    def checked(values: Mapping[str, Any]) -> Any:
        found = form(values)
        if found is None:
            raise TypeError(reason)
        return found

    return checked
