"""Types as the kernel is told of them: how their values are laid out in rows, said in JSON, compared and printed."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from headrace.model.records import is_model
from headrace.model.types import (
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    INT32,
    JSON,
    NONE,
    STR,
    TIME,
    DecimalType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    StructField,
    StructType,
    TupleType,
    Type,
    optional_of,
)
from headrace.model.windows import WindowedType
from headrace.serde.json.writing import writer

Told = dict[str, Any]

_PLAIN = {
    STR: "str",
    INT: "int",
    FLOAT: "float",
    BOOL: "bool",
    BYTES: "bytes",
    DATETIME: "datetime",
    DECIMAL: "decimal",
    INT32: "int32",
    DATE: "date",
    TIME: "time",
    JSON: "json",
    NONE: "none",
}


@lru_cache(1024)
def shape(type_: Type) -> str:
    """The text that the kernel knows a type by.

    >>> shape(STR)
    '{"kind":"str"}'
    """
    return json.dumps(_told(type_), separators=(",", ":"))


def _told(type_: Type) -> Told:
    match type_:
        case OptionalType(of=of):
            return {"kind": "optional", "of": _told(of)}
        case ListType(element=of):
            return {"kind": "list", "name": str(type_), "of": _told(of)}
        case DictType(value=of, key=key):
            keys = {} if key == STR else {"keys": _told(key)}
            return {"kind": "dict", "name": str(type_), **keys, "of": _told(of)}
        case TupleType(items=items):
            parts = [_told(optional_of(item)) for item in items]
            return {"kind": "tuple", "name": str(type_), "columns": type_.columns, "of": parts}
        case DecimalType(precision=precision, scale=scale):
            return {"kind": "exact", "name": str(type_), "precision": precision, "scale": scale}
        case WindowedType(key=key):
            return {"kind": "windowed", "of": _told(key)}
        case EnumType(cls=cls):
            members = [{"value": one.value, "str": str(one), "repr": repr(one)} for one in cls]
            listed = ", ".join(repr(one.value) for one in cls)
            return {"kind": "enum", "name": str(type_), "members": members, "listed": listed}
        case StructType(fields=fields, keyed=keyed):
            style = "dict" if keyed else "model" if is_model(type_.made_of) else "dataclass"
            return {
                "kind": "struct",
                "name": str(type_),
                "style": style,
                "fields": [_field(type_, one) for one in fields],
            }
    return {"kind": _PLAIN[type_]}


def _field(struct: StructType, field: StructField) -> Told:
    told: Told = {
        "name": field.name,
        "of": _told(field.type),
        "needed": field.needed,
        "wrapped": struct.keyed and not field.needed,
        "compared": True,
        "printed": True,
    }
    if dataclasses.is_dataclass(struct.made_of):
        declared = next(one for one in dataclasses.fields(struct.made_of) if one.name == field.name)
        told |= {"compared": declared.compare, "printed": declared.repr}
    if not field.needed and not struct.keyed and own_code(struct) is None:
        default = _default(struct.made_of, field.name)
        if default is not None:
            told["default"] = json.dumps(writer(field.type)(default))
    return told


def _default(cls: Any, name: str) -> Any:
    if is_model(cls):
        return cls.model_fields[name].get_default(call_default_factory=True)
    field = next(one for one in dataclasses.fields(cls) if one.name == name)
    made: Any = field.default_factory
    return made() if field.default is dataclasses.MISSING else field.default


def own_code(type_: Type) -> str | None:
    """What a class does in Python whenever a record of it is read, in words; None if it only holds its fields."""
    return next(filter(None, map(_own_code, _classes(type_))), None)


def compares_itself(type_: Type) -> str | None:
    """The class in a type that has an `==` of its own, if one has."""
    return next((cls.__name__ for cls in _classes(type_) if not _has_plain(cls, "__eq__")), None)


def prints_itself(type_: Type) -> str | None:
    """The class in a type that has a `repr()` or `str()` of its own, if one has."""
    return next((cls.__name__ for cls in _classes(type_) if not _prints_plainly(cls)), None)


def _classes(type_: Type) -> Iterator[Any]:
    """The dataclasses and models that a type is made of."""
    return (one.made_of for one in type_.nested() if isinstance(one, StructType) and not one.keyed)


def _own_code(cls: Any) -> str | None:
    return _own_model(cls) if is_model(cls) else _own_dataclass(cls)


def _own_dataclass(cls: Any) -> str | None:
    for name in ("__post_init__", "__setattr__", "__new__", "__getattribute__"):
        if getattr(cls, name, None) is not getattr(object, name, None) and not _frozen(cls, name):
            return f"{cls.__name__} has a {name}()"
    if cls.__init__.__code__.co_filename != "<string>":
        return f"{cls.__name__} has an __init__() of its own"
    for field in dataclasses.fields(cls):
        made = field.default_factory
        if made is not dataclasses.MISSING and made not in (list, dict):
            return f"the default of {cls.__name__}.{field.name} is made by Python code"
        if field.default is made is dataclasses.MISSING and not field.init:
            return f"{cls.__name__}.{field.name} has no default and is not given"
        if _is_unsaid(field.default):
            return f"the default of {cls.__name__}.{field.name} is {field.default}, which JSON cannot say"
    return None


def _is_unsaid(default: object) -> bool:
    return isinstance(default, float) and not math.isfinite(default)


def _frozen(cls: Any, name: str) -> bool:
    return name == "__setattr__" and cls.__dataclass_params__.frozen


def _own_model(cls: Any) -> str | None:
    fields = cls.model_fields.values()
    unsaid = next((name for name, one in cls.model_fields.items() if _is_unsaid(one.default)), None)
    if unsaid is not None:
        return f"the default of {cls.__name__}.{unsaid} is no finite number, which JSON cannot say"
    decorated = any(vars(cls.__pydantic_decorators__).values())
    if decorated or cls.model_config or any(one.metadata or one.alias or one.default_factory for one in fields):
        return f"{cls.__name__} has checks of its own"
    return None


def _prints_plainly(cls: Any) -> bool:
    return _has_plain(cls, "__repr__") and (is_model(cls) or cls.__str__ is object.__str__)


def _has_plain(cls: Any, name: str) -> bool:
    """Whether a method is the one that a dataclass gets, or that a model has from pydantic."""
    method = getattr(cls, name)
    if is_model(cls):
        return bool(method.__module__.startswith("pydantic"))
    code = getattr(getattr(method, "__wrapped__", method), "__code__", None)
    return code is not None and code.co_filename == "<string>"
