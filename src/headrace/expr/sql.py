"""Constants as SQL text."""

from __future__ import annotations

import math
import re

from headrace.model.types import NONE, Type

# Printable ASCII without what means something inside a quoted string or before parsing: ' \ and ${variables}.
_PLAIN = re.compile(r"[ !\"#%-&(-\[\]-~]*")
_OUT_OF_WORDS = {math.inf: "Infinity", -math.inf: "-Infinity"}


def constant(value: str | int | float | bytes | None, type_: Type) -> str:
    """A constant such that Spark's parser gives back exactly this value and type, whatever its settings."""
    match value:
        case None:
            return "NULL" if type_ == NONE else f"CAST(NULL AS {type_.sql})"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return f"{value}L" if value >= 0 else f"({value}L)"
        case float():
            if not math.isfinite(value):
                return f"CAST('{_OUT_OF_WORDS.get(value, 'NaN')}' AS DOUBLE)"
            return f"{value!r}D" if math.copysign(1, value) > 0 else f"({value!r}D)"
        case bytes():
            return f"X'{value.hex()}'"
        case str():
            return f"'{value}'" if _PLAIN.fullmatch(value) else f"CAST(X'{value.encode().hex()}' AS STRING)"
