"""Pieces of SQL text that several parts of a query need."""

from __future__ import annotations

from headrace.expr.sql import constant
from headrace.model.types import BOOL, BYTES, FLOAT, NONE, STR, ListType, PairType, Type
from headrace.serde import serde_of


def text(value: str) -> str:
    """A string as a literal."""
    return constant(value, STR)


def encode(serde: str, sql: str) -> str:
    """The bytes of a value."""
    return f"hr_encode_{serde}({sql})"


def decode(serde: str, sql: str) -> str:
    """The value of some bytes."""
    return f"hr_decode_{serde}({sql})"


def packed(type_: Type, sql: str) -> str:
    """A value of any type in the bytes it travels in between stages: those of its serde, or else of a row."""
    if isinstance(type_, ListType | PairType) or type_ == NONE:
        return f"hr_pack({sql})"
    return encode(serde_of(type_).name, sql)


def unpacked(type_: Type, sql: str) -> str:
    """What `packed` made, as a value again."""
    if isinstance(type_, ListType | PairType) or type_ == NONE:
        return f"hr_unpack({sql}, {text(type_.sql)})"
    return decode(serde_of(type_).name, sql)


def guarded(sql: str, kind: str, subject: str, where: str) -> str:
    """An expression that tells which record it failed on, and at what."""
    return f"hr_guard({sql}, {text(kind)}, {text(subject)}, {where})"


def shown(type_: Type, sql: str, *, inside: bool = False) -> str:
    """A value as Python prints it; strings have quotes only inside of something."""
    match type_:
        case ListType(element=element):
            items = f"transform({sql}, item -> {shown(element, 'item', inside=True)})"
            printed = f"concat('[', array_join({items}, ', '), ']')"
        case PairType(key=key, value=value):
            parts = [shown(key, f"{sql}.key", inside=True), shown(value, f"{sql}.value", inside=True)]
            printed = f"concat('(', {parts[0]}, ', ', {parts[1]}, ')')"
        case _ if type_ == BOOL:
            printed = f"if({sql}, 'True', 'False')"
        case _ if type_ == FLOAT:
            printed = f"hr_float_text({sql})"
        case _ if type_ == STR and inside:
            printed = f"hr_str_repr({sql})"
        case _ if type_ == BYTES:
            printed = f"hr_bytes_repr({sql})"
        case _:
            printed = f"cast({sql} as string)"
    return f"if({sql} IS NULL, 'None', {printed})"
