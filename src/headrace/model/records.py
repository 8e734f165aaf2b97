"""From the classes users describe their records with to types: dataclasses, TypedDicts, pydantic models."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

from headrace.errors import FieldsNotRead, FieldTypeUnknown, NotARecord
from headrace.model.types import (
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    JSON,
    STR,
    TIME,
    EnumType,
    StructField,
    StructType,
    TupleType,
    Type,
    dict_of,
    is_key,
    list_of,
    optional_of,
    present,
    schema_struct,
    struct_of,
    tuple_of,
)

_PLAIN: dict[object, Type] = {
    str: STR,
    int: INT,
    float: FLOAT,
    bool: BOOL,
    bytes: BYTES,
    datetime: DATETIME,
    date: DATE,
    time: TIME,
    Decimal: DECIMAL,
    Any: JSON,
    object: JSON,
}


def record_type(cls: type, origin: str) -> StructType:
    """The type of the records that a class describes; `origin` is the line to name for a class that describes none.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Order:
    ...     customer: str
    ...     amount: float | None = None
    >>> [str(field.type) for field in record_type(Order, "app.py:7").fields]
    ['str', 'float | None']
    """
    if not is_record(cls):
        raise NotARecord(getattr(cls, "__name__", repr(cls)), origin)
    return _struct(cls, ())


def schema_type(fields: Mapping[str, Any], name: str | None, origin: str) -> StructType:
    """The type of records that no class describes: dicts with these keys, whose types annotations say."""
    return schema_struct(
        (
            StructField(key, _Reader(f"{name or 'record'}.{key}", lambda: origin, ()).type_of(one), _marked(one, True))
            for key, one in fields.items()
        ),
        name,
    )


def type_of(annotation: Any, what: str, origin: str) -> Type:
    """The type that an annotation means; `what` is annotated so, at the line `origin`.

    >>> str(type_of(tuple[str, int | None], "a key", "app.py:7"))
    'tuple[str, int]'
    """
    return _Reader(what, lambda: origin, ()).type_of(annotation)


def is_record(cls: object) -> bool:
    """Whether a class describes records."""
    return isinstance(cls, type) and (dataclasses.is_dataclass(cls) or _is_typed_dict(cls) or is_model(cls))


def is_plain(cls: type) -> bool:
    """Whether instances of a class are made of their fields and nothing else: a dataclass without code of its own."""
    if not dataclasses.is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return False
    code = getattr(cls.__init__, "__code__", None)  # the generated one has no file
    return code is not None and code.co_filename == "<string>" and all(one.init for one in dataclasses.fields(cls))


def is_model(cls: type) -> bool:
    """Whether a class is a pydantic model. Only a program that has imported pydantic can have one."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and issubclass(cls, pydantic.BaseModel)


def _is_typed_dict(cls: Any) -> bool:
    """Whether a class is a TypedDict: of `typing`, or of `typing_extensions`, which `typing` does not know."""
    return issubclass(cls, dict) and hasattr(cls, "__required_keys__")


def _struct(cls: type, inside: tuple[type, ...]) -> StructType:
    if cls in inside:
        raise FieldsNotRead(cls.__name__, f"{inside[-1].__name__} contains {cls.__name__} again", _line_of(cls, None))
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError) as exc:
        raise FieldsNotRead(cls.__name__, str(exc), _line_of(cls, None)) from exc
    fields = tuple(
        StructField(name, _field_reader(cls, name, inside).type_of(hints[name]), _marked(hints[name], needed))
        for name, needed in _fields(cls).items()
    )
    return struct_of(cls.__name__, fields, cls, keyed=_is_typed_dict(cls))


def _fields(cls: Any) -> dict[str, bool]:
    """The names of the fields in their order, and whether each has to be given."""
    if _is_typed_dict(cls):
        return {name: name in cls.__required_keys__ for name in cls.__annotations__}
    if dataclasses.is_dataclass(cls):
        missing = dataclasses.MISSING
        return {
            field.name: field.init and field.default is missing and field.default_factory is missing
            for field in dataclasses.fields(cls)
        }
    return {name: field.is_required() for name, field in cls.model_fields.items()}


def enum_type(cls: type[Enum], origin: str, what: str = "it") -> EnumType:
    """The type of the members of an Enum."""
    kinds = {type(member.value) for member in cls}
    if kinds not in ({str}, {int}):
        raise FieldTypeUnknown(what, f"{cls.__name__}, whose members are not all str or all int", origin)
    return EnumType(cls.__name__, _PLAIN[kinds.pop()].sql, cls)


def _marked(annotation: object, needed: bool) -> bool:
    """Whether a key of a TypedDict has to be there; Python itself does not see the mark in an annotation as text."""
    return {"Required": True, "NotRequired": False}.get(_mark(annotation), needed)


def _mark(annotation: object) -> str:
    return getattr(typing.get_origin(annotation), "_name", None) or ""


def _said(annotation: object) -> Type | None:
    """The type that an annotation is, or that an `Annotated[int, ...]` names."""
    said = (annotation, *getattr(annotation, "__metadata__", ()))
    return next((one for one in said if isinstance(one, Type)), None)


class _Reader:
    """Reads the annotation of a field, or of an item of a tuple."""

    def __init__(self, what: str, where: Callable[[], str], inside: tuple[type, ...]) -> None:
        self._what, self._where, self._inside = what, where, inside

    def type_of(self, annotation: Any) -> Type:
        plain = _said(annotation) or (_PLAIN.get(annotation) if annotation.__hash__ else None)
        if plain is not None:
            return plain
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated or _mark(annotation) in ("Required", "NotRequired", "ReadOnly"):
            return self.type_of(args[0])
        if origin is typing.Union or origin is types.UnionType:
            return self._union(annotation, args)
        if origin is list:
            return list_of(self.type_of(args[0]))
        if origin is tuple:
            return self.tuple_of(annotation)
        if origin is dict and is_key(key := self.type_of(args[0])):
            return dict_of(self.type_of(args[1]), key)
        if isinstance(annotation, type) and origin is None:
            if issubclass(annotation, Enum):
                return enum_type(annotation, self._where(), self._what)
            if is_record(annotation):
                return _struct(annotation, self._inside)
        raise self._unknown(annotation)

    def tuple_of(self, annotation: Any) -> TupleType:
        """The type of a tuple."""
        items = typing.get_args(annotation)
        if len(items) < 2 or ... in items:
            count = "any length" if ... in items else len(items)
            raise FieldTypeUnknown(_shown(annotation), f"a tuple of {count}", self._where())
        return tuple_of(*(present(self.type_of(item)) for item in items))

    def _union(self, annotation: object, args: tuple[Any, ...]) -> Type:
        others = [one for one in args if one is not type(None)]
        if len(others) != 1 or len(args) != 2:
            raise self._unknown(annotation)
        return optional_of(self.type_of(others[0]))

    def _unknown(self, annotation: object) -> FieldTypeUnknown:
        return FieldTypeUnknown(self._what, _shown(annotation), self._where())


def _field_reader(cls: type, field: str, inside: tuple[type, ...]) -> _Reader:
    return _Reader(f"{cls.__name__}.{field}", lambda: _line_of(cls, field), (*inside, cls))


def _shown(annotation: object) -> str:
    name = annotation.__name__ if isinstance(annotation, type) and not typing.get_args(annotation) else annotation
    return str(name).replace("typing.", "")


def _line_of(cls: type, field: str | None) -> str:
    """Source line of a class, or of a field of it."""
    try:
        lines, first = inspect.getsourcelines(cls)
        file = Path(inspect.getsourcefile(cls) or "?").name
    except (OSError, TypeError):
        return f"class {cls.__qualname__}"
    wanted = re.compile(rf"\s+{re.escape(field)}\s*:" if field else r"\s*class\s")
    return f"{file}:{next((first + at for at, line in enumerate(lines) if wanted.match(line)), first)}"
