"""Constants as SQL text."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum

from headrace.model.types import NONE, Type

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Printable ASCII without what means something inside a quoted string or before parsing: ' \ and ${variables}.
_PLAIN = re.compile(r"[ !\"#%-&(-\[\]-~]*")
_OUT_OF_WORDS = {math.inf: "Infinity", -math.inf: "-Infinity"}


def constant(value: object, type_: Type) -> str:
    """A constant such that Spark's parser gives back exactly this value and type, whatever its settings."""
    match value:
        case None:
            return "NULL" if type_ == NONE else f"CAST(NULL AS {type_.sql})"
        case Enum():
            return constant(value.value, type_)
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
        case datetime():
            return f"timestamp_micros({(value - _EPOCH) // timedelta(microseconds=1)}L)"
        case Decimal():
            return f"CAST('{value}' AS {type_.sql})"
        case str():
            return f"'{value}'" if _PLAIN.fullmatch(value) else f"CAST(X'{value.encode().hex()}' AS STRING)"
    raise AssertionError(f"a new kind of constant: {value!r}")
