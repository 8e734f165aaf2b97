"""The classes of values that Python processes keep, which their state knows by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from headrace.errors import HeadraceError
from headrace.model.classes import Classes
from headrace.model.records import enum_type, is_record, record_type
from headrace.model.types import EnumType, StructType, Type
from headrace.plan.nodes import Node

Shapes = dict[str, str]
"""By the names of classes: their fields with types, or the members of an enum."""


def shapes_of(nodes: Iterable[Node]) -> Shapes:
    """The classes whose values lie in the state of nodes that run in Python, as far as types tell."""
    found: Shapes = {}
    classes = Classes.here()
    for node in nodes:
        if node.kept_stores or node.holds_back:
            for schema in (node.output(), *(upstream.output() for upstream in node.inputs)):
                for type_ in (schema.key.type, schema.value.type):
                    found.update({classes.name(one.cls): _shape(one) for one in _named(type_)})
    return dict(sorted(found.items()))


def lost_classes(there: Mapping[str, str], here: Mapping[str, str]) -> Iterator[str]:
    """Classes, in words, that state would not find again, or would find with other fields."""
    classes = Classes.here()
    for name, shape in there.items():
        if name in here and (here[name] == shape or not _is_enum(shape)):
            continue  # other fields are told with the stores
        try:
            now = here.get(name) or _shape_of(classes.find(name))
        except LookupError:
            yield f"class {name} ({shape}) is not there any more{_like(name, shape, here)}"
        else:
            if now is not None and not _fits(shape, now):
                yield f"class {name} has {now}, it had {shape}"


def _like(name: str, shape: str, here: Mapping[str, str]) -> str:
    last = name.rpartition(":")[2]
    alike = [one for one, its in here.items() if _fits(shape, its)]
    near = next((one for one in alike if one.rpartition(":")[2] == last), alike[0] if alike else None)
    if near is None:
        return ""
    return f"; if it is {near} now, say so: hr.moved({name!r}, {near.rpartition(':')[2]})"


def _fits(shape: str, now: str) -> bool:
    if _is_enum(shape):
        return set(shape.split(_OR)) <= set(now.split(_OR))
    return shape == now


_OR = " | "


def _is_enum(shape: str) -> bool:
    return ": " not in shape


def _named(type_: Type) -> Iterator[StructType | EnumType]:
    for one in type_.nested():
        if isinstance(one, EnumType) or (isinstance(one, StructType) and not one.keyed):
            yield one


def _shape(type_: StructType | EnumType) -> str:
    if isinstance(type_, EnumType):
        return _OR.join(type_.cls.__members__)
    return ", ".join(f"{field.name}: {field.type}" for field in type_.fields)


def _shape_of(cls: object) -> str | None:
    """The shape of a class that no store is declared with; None if nobody knows it."""
    try:
        if isinstance(cls, type) and issubclass(cls, Enum):
            return _shape(enum_type(cls, "?"))
        return _shape(record_type(cls, "?")) if is_record(cls) else None  # type: ignore[arg-type]
    except HeadraceError:
        return None
