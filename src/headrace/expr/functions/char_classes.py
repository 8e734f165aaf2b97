"""Methods of str that ask for the kind of its letters, or change their case one by one.

Like all of them they are as new as the Unicode of the interpreter and of ICU, see `text`. `isnumeric` is not here:
common Chinese letters became numbers after Unicode 14.
"""

from __future__ import annotations

from headrace.expr.functions.row import Function
from headrace.model.types import BOOL, STR

_CASES = {"capitalize": str.capitalize, "title": str.title, "swapcase": str.swapcase}
_KINDS = {
    "isalpha": str.isalpha,
    "isdigit": str.isdigit,
    "isdecimal": str.isdecimal,
    "isalnum": str.isalnum,
    "isspace": str.isspace,
    "isupper": str.isupper,
    "islower": str.islower,
    "isascii": str.isascii,
}

CHAR_CLASSES = (
    *(Function(f".{name}", (STR,), STR, python, f"hr_{name}({{0}})") for name, python in _CASES.items()),
    *(Function(f".{name}", (STR,), BOOL, python, f"hr_{name}({{0}})") for name, python in _KINDS.items()),
)
