"""F-strings and `str.format()`, of which some parts are symbols."""

from __future__ import annotations

import functools
import operator
import string
from collections.abc import Callable
from typing import Any

from headrace.expr.syntax import Expr, call
from headrace.expr.ways import ValueNeeded, walking

_CONVERSIONS: dict[int, Callable[[object], object]] = {
    -1: lambda value: value,
    ord("s"): str,
    ord("r"): repr,
    ord("a"): ascii,
}


def text(*parts: Any) -> object:
    """`f"..."` of its parts, which are texts already."""
    return functools.reduce(operator.add, parts) if any(isinstance(one, Expr) for one in parts) else "".join(parts)


def formatted(value: object, conversion: int, spec: object) -> object:
    """`{value!s:spec}` in an f-string."""
    if not isinstance(value, Expr) and not isinstance(spec, Expr):
        return format(_CONVERSIONS[conversion](value), str(spec))
    if not isinstance(spec, str) or conversion in (ord("r"), ord("a")):
        raise ValueNeeded("!r, !a, or a format that is computed, needs the value now in an f-string")
    way = walking.get()
    if way is not None:
        way.helped = True
    converted = call("text", value) if conversion == ord("s") or spec == "" else value
    return converted if spec == "" else call("format", converted, spec)


def filled(template: str, args: tuple[Any, ...], named: dict[str, Any]) -> object:
    """`template.format(*args, **named)`; what is given and not named in the template is not looked at."""
    parts: list[object] = []
    count = 0
    for before, field, spec, conversion in string.Formatter().parse(template):
        parts.append(before)
        if field is None:
            continue
        if not (field == "" or field.isdecimal() or field.isidentifier()) or "{" in (spec or ""):
            raise ValueNeeded("parts of values, or formats that are computed, need the value now in format()")
        value = named[field] if field.isidentifier() else args[int(field or count)]
        count += 1
        parts.append(formatted(value, ord(conversion) if conversion else -1, spec or ""))
    found = [one for one in parts if one != "" or isinstance(one, Expr)]
    return text(*found)
