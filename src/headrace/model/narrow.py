"""Numbers that have to fit: ints of so many bits, Decimals of so many digits."""

from __future__ import annotations

from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation

from headrace.model.types import INT32, DecimalType, Type


def fits(number: int, bits: int) -> bool:
    """Whether two's complement of so many bits can say a number."""
    return -(1 << (bits - 1)) <= number < 1 << (bits - 1)


def exactly(number: Decimal, type_: DecimalType) -> Decimal | None:
    """The number with all the digits behind the point that a type has; None if others would be lost, or it is none."""
    if not number.is_finite():
        return None
    digits = Context(prec=type_.precision, traps=[InvalidOperation, Inexact])
    try:
        found = number.quantize(Decimal((0, (1,), -type_.scale)), context=digits)
    except DecimalException:
        return None
    return found if found else abs(found)  # Catalyst has no -0


def narrowed(number: int | Decimal, type_: Type) -> int | Decimal:
    """A number as one of a narrower type; raises if it does not fit."""
    if isinstance(number, Decimal):
        assert isinstance(type_, DecimalType)
        found = exactly(number, type_)
        if found is None:
            raise ValueError(f"it is {number}, which does not fit {type_}")
        return found
    if type_ == INT32 and not fits(number, 32):
        raise ValueError(f"it is {number}, which does not fit 32 bits")
    return number
