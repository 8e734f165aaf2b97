"""Methods of str that look for parts of it, take it apart, and fill it up."""

from __future__ import annotations

import re
from collections.abc import Callable

from headrace.expr.functions.row import Function
from headrace.model.types import BYTES, INT, STR, list_of

LONGEST = 1_000_000
"""How many characters a text may be filled up to, or repeated into."""


def _filling(function: Callable[..., str]) -> Callable[..., str]:
    def fill(text: str, width: int, *char: str) -> str:
        _check_width(width)
        if char and len(char[0]) != 1:
            raise ValueError("the fill character has to be one character")
        return function(text, width, *char)

    return fill


def _check_width(width: int) -> None:
    if width > LONGEST:
        raise ValueError(f"{width} characters are more than {LONGEST}")


def _repeated(text: str, times: int) -> str:
    _check_width(len(text) * max(times, 0))
    return text * times


def _joined(separator: str, parts: list[str]) -> str:
    if any(part is None for part in parts):
        raise TypeError("None cannot be joined")
    return separator.join(parts)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("the bytes are not UTF-8") from None


def _hex(text: str) -> bytes:
    if not re.fullmatch("(?:[0-9a-fA-F]{2})*", text):
        raise ValueError("the text is not hexadecimal")
    return bytes.fromhex(text)


_SS = (STR, STR)
_FILLED = {"ljust": str.ljust, "rjust": str.rjust, "center": str.center}
PARTS = (
    Function(".find", _SS, INT, str.find, "hr_find({0}, {1})"),
    Function(".rfind", _SS, INT, str.rfind, "hr_rfind({0}, {1})"),
    Function(".count", _SS, INT, str.count, "hr_occurrences({0}, {1})"),
    Function(".removeprefix", _SS, STR, str.removeprefix, "hr_removeprefix({0}, {1})"),
    Function(".removesuffix", _SS, STR, str.removesuffix, "hr_removesuffix({0}, {1})"),
    Function(".split", (STR, STR, INT), list_of(STR), str.split, "hr_split_most({0}, {1}, {2})"),
    Function(".rsplit", (STR, STR, INT), list_of(STR), str.rsplit, "hr_rsplit_at({0}, {1}, {2})"),
    Function(".splitlines", (STR,), list_of(STR), str.splitlines, "hr_splitlines({0})"),
    Function(".join", (STR, list_of(STR)), STR, _joined, "hr_join({0}, {1})"),
    Function(".zfill", (STR, INT), STR, _filling(str.zfill), "hr_zfill({0}, {1})"),
    *(
        Function(f".{name}", (STR, INT), STR, _filling(fill), f"hr_{name}({{0}}, {{1}}, ' ')")
        for name, fill in _FILLED.items()
    ),
    *(
        Function(f".{name}", (STR, INT, STR), STR, _filling(fill), f"hr_{name}({{0}}, {{1}}, {{2}})")
        for name, fill in _FILLED.items()
    ),
    Function("*", (STR, INT), STR, _repeated, "hr_repeated({0}, {1})"),
    Function("*", (INT, STR), STR, lambda times, text: _repeated(text, times), "hr_repeated({1}, {0})"),
    Function(".encode", (STR,), BYTES, str.encode, "CAST({0} AS BINARY)"),
    Function(".decode", (BYTES,), STR, _decoded, "hr_decoded({0})"),
    Function(".hex", (BYTES,), STR, bytes.hex, "lower(hex({0}))"),
    Function("from_hex", (STR,), BYTES, _hex, "hr_from_hex({0})"),
)
