"""Type compatibility: the types that have room for the values of another."""

from __future__ import annotations

from headrace.model.types import (
    BOOL,
    FLOAT,
    INT,
    INT32,
    JSON,
    NONE,
    STR,
    DictType,
    ListType,
    OptionalType,
    StructField,
    StructType,
    Type,
    present,
    wider,
)


def holds(wanted: Type, found: Type, *, narrowing: bool = False) -> bool:
    """Whether JSON of one type can be made of values of another, which may be dicts written out in an expression.

    With `narrowing`, those that do not fit an `Int32` or a decimal are refused only when they are written.
    """
    if wanted == found or (wanted == FLOAT and found in (INT, INT32)) or wanted == wider(found):
        return True
    if narrowing and wider(wanted) is not None and wider(wanted) in (found, wider(found)):
        return True
    if wanted == JSON:
        return _untyped(found)
    match wanted, found:
        case OptionalType(of=of), _:
            return found == NONE or holds(of, present(found), narrowing=narrowing)
        case ListType(element=element), ListType(element=item):
            return item == NONE or holds(element, item, narrowing=narrowing)
        case DictType(value=value), DictType(value=item):
            return item == NONE or (wanted.key == found.key and holds(value, item, narrowing=narrowing))
        case DictType(value=value, key=key), StructType(keyed=True, fields=fields) if key == STR:
            return all(holds(value, _type(found, one), narrowing=narrowing) for one in fields)
        case StructType(keyed=True), StructType(keyed=True):
            return _same_fields(wanted, found, narrowing)
    return False


def has_fields(written: Type, read: Type) -> bool:
    """Whether records of one class have all the fields that those of another need, which is enough in JSON."""
    if not (isinstance(written, StructType) and isinstance(read, StructType)):
        return holds(read, written)
    for wanted in read.fields:
        found = written.field(wanted.name)
        if found is None and wanted.needed:
            return False
        if found is not None and not has_fields(present(found.type), present(wanted.type)):
            return False
    return True


def _untyped(found: Type) -> bool:
    """Whether values of a type are among those that untyped JSON can have."""
    match found:
        case DictType(key=key) if key != STR:
            return False
        case OptionalType(of=inner) | ListType(element=inner) | DictType(value=inner):
            return _untyped(inner)
        case StructType(keyed=True, fields=fields):
            return all(_untyped(one.type) for one in fields)
    return found in (STR, INT, INT32, FLOAT, BOOL, NONE, JSON)


def _same_fields(wanted: StructType, found: StructType, narrowing: bool) -> bool:
    for field in found.fields:
        place = wanted.field(field.name)
        if place is None or (place.needed and not field.needed):
            return False
        if not holds(place.type, _type(found, field), narrowing=narrowing):
            return False
    return all(found.field(place.name) is not None for place in wanted.fields if place.needed)


def _type(struct: StructType, field: StructField) -> Type:
    # Whatever comes from a record may be None; where it must not be, that is said when it is written.
    return present(field.type) if struct.cls is None else field.type
