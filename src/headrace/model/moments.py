"""Timestamps as users write them: milliseconds since 1970, or a datetime."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headrace.errors import OptionInvalid

Moment = int | datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST = 2**63 - 1


def moment_ms(option: str, value: object, origin: str) -> int:
    """The milliseconds since 1970 of a moment; `option` and `origin` say what to name when it is none.

    >>> moment_ms("ts", datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC), "test.py:7")
    5000
    """
    found = _parsed(value)
    if found is None or not 0 <= found <= _MOST:
        allowed = "milliseconds since 1970 as an int, or a datetime with its time zone, not before 1970"
        raise OptionInvalid(option, value, allowed, origin)
    return found


def moment_text(ms: int) -> str:
    """A moment in ISO 8601.

    >>> moment_text(1_700_000_000_500), moment_text(0)
    ('2023-11-14T22:13:20.500Z', '1970-01-01T00:00:00Z')
    """
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds" if ms % 1000 else "seconds") + "Z"


def _parsed(value: object) -> int | None:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return (value - _EPOCH) // timedelta(milliseconds=1)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
