"""Text of JSON taken apart by Python's parser, without what is no JSON."""

from __future__ import annotations

import json as parser
from decimal import Decimal, InvalidOperation
from math import isinf
from typing import Any, NoReturn

from headrace.model.types import DECIMAL, DecimalType, Type


def parsed_bytes(data: bytes, *, decimals: bool) -> Any:
    """Return what JSON in UTF-8 says, numbers with a point as Decimals if told so; `ValueError` for anything else."""
    try:
        text = data.decode()
    except UnicodeDecodeError as exc:
        raise ValueError(f"byte 0x{data[exc.start]:02x} at {exc.start} is not UTF-8") from None
    found = parsed(text, decimals=decimals)
    if "\\u" in text:
        _check_letters(found)
    return found


def parsed(text: str, *, decimals: bool) -> Any:
    """Return what a text of JSON says."""
    try:
        return parser.loads(text, parse_constant=_refused, parse_float=_decimal if decimals else _real)
    except parser.JSONDecodeError as exc:
        raise ValueError(f"not JSON at {exc.pos}: {exc.msg}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _check_letters(found: Any) -> None:
    """Halves of surrogate pairs can be written as \\uD800, and are no letters."""
    try:
        parser.dumps(found, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as exc:
        raise ValueError(f"\\u{ord(exc.object[exc.start]):04x} is half a letter") from None


def _real(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is too large a number")
    return number


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text} is too large a number") from None


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def holds_decimals(type_: Type) -> bool:
    """Return whether there are Decimals in values of a type: then numbers are read as such."""
    return any(one == DECIMAL or isinstance(one, DecimalType) for one in type_.nested())
