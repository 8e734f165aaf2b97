"""`format()` of numbers and texts, as f-strings use it, in the formats that the kernel writes too."""

from __future__ import annotations

import re

from headrace.expr.functions.row import Function
from headrace.model.types import FLOAT, INT, STR, Type

_SPEC = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[+ -])?(?P<zero>0)?(?P<width>[1-9]\d{0,2})?(?P<group>[,_])?"
    r"(?:\.(?P<precision>\d{1,2}))?(?P<kind>[sdf%])?",
    re.DOTALL,
)
_KINDS: dict[Type, tuple[str | None, ...]] = {STR: (None, "s"), INT: (None, "d", "f", "%"), FLOAT: (None, "f", "%")}


def refusal(type_: Type, spec: str) -> str | None:
    """Why a format cannot be written in both forms for values of a type; None if it can."""
    found = _SPEC.fullmatch(spec)
    if found is None or found["kind"] not in _KINDS[type_]:
        return f"the format {spec!r} of {type_} is only known to Python: use f, d, %, s, widths and places"
    whole = found["kind"] in (None, "d", "s")
    filled = found["zero"] or found["align"] == "="
    wrong = (
        (type_ == STR and bool(found["sign"] or found["group"] or filled))
        or (type_ == INT and whole and found["precision"] is not None)
        or (type_ == FLOAT and whole and (found["precision"] or found["group"]) is not None)
        or (found["zero"] is not None and found["align"] is not None)
        or bool(filled and found["group"])
    )
    return f"the format {spec!r} of {type_} is only known to Python" if wrong else None


FORMATS = (
    Function("format", (INT, STR), STR, format, "hr_format_int({0}, {1})"),
    Function("format", (FLOAT, STR), STR, format, "hr_format_float({0}, {1})"),
    Function("format", (STR, STR), STR, format, "hr_format_str({0}, {1})", of_members=False),
)
