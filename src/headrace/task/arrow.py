"""Records as tables of pyarrow, and the values in such tables. The only file that imports pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any

import pyarrow as pa

from headrace.errors import WrongRows
from headrace.model.record import Record
from headrace.model.types import (
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    FLOAT,
    INT,
    INT32,
    JSON,
    OBJECT,
    STR,
    TIME,
    DecimalType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    StructType,
    TupleType,
    Type,
)
from headrace.model.windows import WindowedType
from headrace.plan.schema import Schema

Make = Callable[[Any], Any]

_BESIDE = ("key", "timestamp")
_PLAIN = {
    STR: pa.string(),
    INT: pa.int64(),
    FLOAT: pa.float64(),
    BOOL: pa.bool_(),
    BYTES: pa.binary(),
    DATETIME: pa.timestamp("us", tz="UTC"),
    INT32: pa.int32(),
    DATE: pa.date32(),
    TIME: pa.time64("us"),
}


class ArrowRows:
    """Makes tables of records with keys and values of these types."""

    def __init__(self, given: Schema) -> None:
        self._key, value = _Column(given.key.type), given.value.type
        self._fields = (
            {field.name: _Column(field.type, _getter(value, field.name)) for field in value.fields}
            if isinstance(value, StructType)
            else {"value": _Column(value)}
        )

    def table(self, records: Sequence[Record]) -> pa.Table:
        """A row for each record."""
        values = [record.value for record in records]
        columns = {name: column.array(values) for name, column in self._fields.items()}
        key = self._key.array([record.key for record in records])
        return pa.table({"key": key, **columns, "timestamp": pa.array([record.ts for record in records], pa.int64())})


class ArrowValues:
    """Finds values of a type in the tables that a function gives."""

    def __init__(self, type_: Type) -> None:
        self._type, self._made = type_, _made(type_)

    def found(self, given: pa.Table, result: Any) -> list[Any]:
        """The value of each row; raises if the rows are not those that were given."""
        if not isinstance(result, pa.Table):
            kind = type(result)
            raise WrongRows(f"the function gave {kind.__module__}.{kind.__qualname__}", "give a pyarrow.Table")
        if result.num_rows != given.num_rows:
            raise WrongRows(
                f"the function was given {given.num_rows} rows and gave {result.num_rows}",
                "give a row for each row, in their order; filter records before or behind map_batches",
            )
        names = result.column_names
        if len(set(names)) < len(names):
            raise WrongRows(f"two columns have one name: {', '.join(names)}", "rename or drop one of them")
        for name in _BESIDE:
            if name in names and result[name].to_pylist() != given[name].to_pylist():
                raise WrongRows(
                    f"the column {name!r} is not the one that was given: rows were moved, or it was changed",
                    f"give the rows in their order, with {name!r} as it was or without it",
                )
        return self._values(result, [name for name in names if name not in _BESIDE])

    def _values(self, result: pa.Table, names: list[str]) -> list[Any]:
        self._check(names)
        columns = [_listed(result[name]) for name in names]
        if names == ["value"] and not isinstance(self._type, StructType):
            found = columns[0]
        else:
            found = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        return found if self._made is _same else [_or_none(self._made, one) for one in found]

    def _check(self, names: list[str]) -> None:
        has = f"the columns of the result are {', '.join(names)}" if names else "the result has no columns of its own"
        if isinstance(self._type, StructType):
            fields = {field.name: field.needed for field in self._type.fields}
            wrong = set(names) - set(fields) or {name for name, needed in fields.items() if needed} - set(names)
            if wrong:
                raise WrongRows(f"{has}, the fields of {self._type} are {', '.join(fields)}", _RENAME)
        elif not names:
            raise WrongRows(has, "give the new values in a column 'value', or in one for each field")
        elif names != ["value"] and not isinstance(self._type, DictType) and self._type not in (OBJECT, JSON):
            raise WrongRows(f"{has}, and value= says {self._type}", "give the new values in one column, 'value'")


_RENAME = "select(...) and rename_columns(...) the result until they are the same"


class _Column:
    """Makes a column of values of one type, or of what is found in others."""

    def __init__(self, type_: Type, get: Make | None = None) -> None:
        self._type, plain = _arrow(type_), _plain(type_)
        self._steps = [step for step in (get, plain) if step is not None and step is not _same]

    def array(self, values: list[Any]) -> pa.Array:
        """The column."""
        for step in self._steps:
            values = [_or_none(step, value) for value in values]
        return pa.array(values, self._type)


def _arrow(type_: Type) -> pa.DataType | None:
    """The type of a column; None where only pyarrow can tell, by the values that are there."""
    match type_:
        case OptionalType(of=inner):
            return _arrow(inner)
        case ListType(element=inner):
            element = _arrow(inner)
            return element and pa.list_(element)
        case DictType(value=inner, key=key):
            element, keys = _arrow(inner), _arrow(key)
            return element and keys and pa.map_(keys, element)
        case DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case EnumType(cls=cls):
            return pa.int64() if all(isinstance(one.value, int) for one in cls) else pa.string()
    parts = {name: _arrow(inner) for name, inner, _ in _parts(type_)}
    if parts and None not in parts.values():
        return pa.struct(list(parts.items()))
    return _PLAIN.get(type_)


def _plain(type_: Type) -> Make:
    """Value of a type, as pyarrow takes it."""
    match type_:
        case OptionalType(of=inner):
            return _plain(inner)
        case ListType(element=inner):
            item = _plain(inner)
            return lambda value: [_or_none(item, one) for one in value]
        case DictType(value=inner, key=keys):
            item, name = _plain(inner), _plain(keys)
            return lambda value: [(name(key), _or_none(item, one)) for key, one in value.items()]
        case EnumType():
            return attrgetter("value")
    steps = [(name, get, _plain(inner)) for name, inner, get in _parts(type_)]
    if steps:
        return lambda value: {name: _or_none(item, get(value)) for name, get, item in steps}
    return _same


def _made(type_: Type) -> Make:
    """A value of a type, of what pyarrow has for it."""
    match type_:
        case OptionalType(of=inner):
            return _made(inner)
        case ListType(element=inner):
            item = _made(inner)
            return lambda found: [_or_none(item, one) for one in found]
        case DictType(value=inner, key=keys):
            item, name = _made(inner), _made(keys)
            return lambda found: {name(key): _or_none(item, one) for key, one in dict(found).items()}
        case EnumType(cls=cls):
            return cls
        case StructType(fields=fields):
            makers = {field.name: _made(field.type) for field in fields}
            build = type_.made_of
            return lambda found: build(**{name: _or_none(makers[name], one) for name, one in found.items()})
        case TupleType(items=items):
            steps = [_made(item) for item in items]
            return lambda found: tuple(map(_or_none, steps, found.values()))
    return _same


def _parts(type_: Type) -> list[tuple[str, Type, Make]]:
    """The parts of values that have several: names, types, and how to get them."""
    match type_:
        case StructType(fields=fields):
            return [(field.name, field.type, _getter(type_, field.name)) for field in fields]
        case WindowedType(key=inner):
            types = {"key": inner, "start": INT, "end": INT}
            return [(name, part, attrgetter(name)) for name, part in types.items()]
        case TupleType(items=items, columns=columns):
            return [(name, item, itemgetter(at)) for at, (name, item) in enumerate(zip(columns, items, strict=True))]
    return []


def _getter(struct: StructType, name: str) -> Make:
    return (lambda value: value.get(name)) if struct.keyed else attrgetter(name)


def _listed(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column; an int has 64 bits, and a map is a dict."""
    if column.type == pa.uint64():
        column = column.cast(pa.int64())
    found: list[Any] = column.to_pylist()
    return [_or_none(dict, one) for one in found] if pa.types.is_map(column.type) else found


def _or_none(make: Make, value: Any) -> Any:
    return None if value is None else make(value)


def _same(value: Any) -> Any:
    return value
