"""Types for fields of records beyond Python's own: `import headrace.types as T`.

They stand wherever an annotation says a type: in a class, in `list[...]`, in `record({...})`, or beside the type
that a checker sees: `Annotated[Decimal, T.decimal(10, 2)]`. A `datetime.date` and a `datetime.time` without a zone are
types as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from headrace.errors import OptionInvalid
from headrace.model.records import schema_type
from headrace.model.source_lines import calling_line
from headrace.model.types import INT32, DecimalType, StructType, decimal_of

__all__ = ["Int32", "decimal", "record"]

Int32 = Annotated[int, INT32]
"""An int of 32 bits. What is computed with it is an int like others; a result that is put into one has to fit."""

_MOST_DIGITS = 38


def decimal(precision: int, scale: int = 0) -> DecimalType:
    """Decimals with so many digits in all, at most 38, `scale` of them behind the point: `T.decimal(10, 2)`.

    A value has all the digits behind the point; one that would lose some, or has too many before it, is refused.
    What is computed with it is a Decimal like others.
    """
    here = calling_line() or "?"
    if not isinstance(precision, int) or not 1 <= precision <= _MOST_DIGITS:
        raise OptionInvalid("precision", precision, f"a number of digits from 1 to {_MOST_DIGITS}", here)
    if not isinstance(scale, int) or not 0 <= scale <= precision:
        raise OptionInvalid("scale", scale, f"a number of digits from 0 to the {precision} in all", here)
    return decimal_of(precision, scale)


def record(fields: Mapping[str, Any], name: str | None = None) -> StructType:
    """Records that no class describes: dicts with these keys, of the types that annotations say.

    A key that may be missing is `NotRequired[...]`. The name is what messages call the record.

        order = T.record({"customer": str, "unit price": float, "note": str | None})
        orders = app.stream("orders", value=hr.json(order))
    """
    return schema_type(fields, name, calling_line() or "?")
