"""Instances of classes that say which fields they have: dataclasses, enums, named tuples and pydantic models.

They are made without their `__init__`: state has what was there, not what the class would begin with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from types import MemberDescriptorType
from typing import Any

from headrace.model.records import is_model
from headrace.state.faults import ClassChanged
from headrace.state.forms import NoFormError

Parts = Mapping[str, Any]

_OWN_WAYS = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
_BESIDE = frozenset({"__orig_class__"})
_MEMBER = "member"
_SET, _EXTRA, _PRIVATE = "fields set", "extra fields", "private fields"
"""No field can have such a name."""


@dataclass(frozen=True)
class Instances:
    """Form of the instances of one class: how they are taken apart, and put together again."""

    parts: Callable[[Any], Parts]
    """What one consists of; `NoFormError` if there is more to it."""

    make: Callable[[str, dict[str, Any]], Any]
    """One of its parts; the name is that of its class as state has it."""


@lru_cache(1024)
def instances_of(cls: type) -> Instances | None:
    """Form of a class's instances; None if the class does not tell."""
    if issubclass(cls, Enum):
        return _enum(cls)
    if is_model(cls):
        return None if _has_own_ways(cls, _model_base(cls)) else _model(cls)
    if issubclass(cls, tuple):
        fields = getattr(cls, "_fields", None)
        return None if fields is None else _named_tuple(cls, fields)
    if dataclasses.is_dataclass(cls) and _is_plain(cls) and not _has_own_ways(cls, object):
        return _dataclass(cls)
    return None


def _enum(cls: type[Enum]) -> Instances:
    def make(name: str, told: dict[str, Any]) -> Any:
        member = cls.__members__.get(told[_MEMBER])
        if member is None:
            raise ClassChanged(name, [told[_MEMBER]], cls.__members__)
        return member

    def parts(value: Any) -> Parts:
        if value.name not in cls.__members__:  # several flags at once
            raise NoFormError
        return {_MEMBER: value.name}

    return Instances(parts, make)


def _named_tuple(cls: type, fields: tuple[str, ...]) -> Instances:
    def make(name: str, told: dict[str, Any]) -> Any:
        _check(name, told, fields)
        return tuple.__new__(cls, [told[field] for field in fields])

    def parts(value: Any) -> Parts:
        if getattr(value, "__dict__", None):
            raise NoFormError
        return dict(zip(fields, value, strict=True))

    return Instances(parts, make)


def _dataclass(cls: type) -> Instances:
    fields = tuple(field.name for field in dataclasses.fields(cls))
    known = {*fields, *_BESIDE, *_cached(cls)}
    slots = any(isinstance(getattr(cls, field, None), MemberDescriptorType) for field in fields)

    def make(name: str, told: dict[str, Any]) -> Any:
        _check(name, told, fields)
        made: Any = object.__new__(cls)
        if not slots:
            vars(made).update(told)
            return made
        for field in fields:
            object.__setattr__(made, field, told[field])
        return made

    def parts(value: Any) -> Parts:
        there = getattr(value, "__dict__", None)
        if there is not None and not there.keys() <= known:
            raise NoFormError
        try:
            return {field: getattr(value, field) for field in fields}
        except AttributeError:  # a field that was never set
            raise NoFormError from None

    return Instances(parts, make)


def _model(cls: Any) -> Instances:
    fields = tuple(cls.model_fields)
    known = {*fields, *_cached(cls)}

    def make(name: str, told: dict[str, Any]) -> Any:
        was_set, extra, private = (told.pop(part, None) for part in (_SET, _EXTRA, _PRIVATE))
        _check(name, told, fields)
        made = cls.__new__(cls)
        made.__setstate__(
            {
                "__dict__": told,
                "__pydantic_fields_set__": set(fields) if was_set is None else was_set,
                "__pydantic_extra__": extra,
                "__pydantic_private__": private,
            }
        )
        return made

    def parts(value: Any) -> Parts:
        there = vars(value)
        if not set(fields) <= there.keys() <= known:
            raise NoFormError
        found = {field: there[field] for field in fields}
        if len(value.model_fields_set) < len(fields):
            found[_SET] = value.model_fields_set
        beside = {_EXTRA: value.__pydantic_extra__, _PRIVATE: value.__pydantic_private__}
        return found | {part: one for part, one in beside.items() if one is not None}

    return Instances(parts, make)


def _check(name: str, told: Parts, fields: tuple[str, ...]) -> None:
    if len(told) != len(fields) or any(field not in told for field in fields):
        raise ClassChanged(name, told, fields)


def _is_plain(cls: type) -> bool:
    """Whether nothing but its fields is in it."""
    try:
        object.__new__(cls)
    except TypeError:
        return False
    return True


def _has_own_ways(cls: type, usual: type) -> bool:
    """Whether it says itself how it is written; a dataclass with slots only seems to."""
    return any(
        getattr(cls, name, None) is not getattr(usual, name, None)
        and getattr(getattr(cls, name), "__module__", "") != "dataclasses"
        for name in _OWN_WAYS
    )


def _model_base(cls: type) -> type:
    return next(base for base in cls.__mro__ if base.__module__ == "pydantic.main")


def _cached(cls: type) -> set[str]:
    """Fields that only cache what is computed."""
    return {name for name in dir(cls) if isinstance(getattr(cls, name, None), cached_property)}
