"""Spans of time as users write them: "10s", "5m", "1h", or a timedelta."""

from __future__ import annotations

import re
from datetime import timedelta

from headrace.errors import OptionInvalid

Duration = str | timedelta

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_WRITTEN = re.compile(r"\s*(\d+)\s*(ms|s|m|h|d)\s*", re.ASCII)
_MOST = 2**63 - 1
_FORM = 'a duration such as "100ms", "10s", "5m", "1h" or "1d", or a timedelta'


def duration_ms(option: str, value: object, origin: str, *, least: int = 0) -> int:
    """The whole milliseconds of a duration; `option` and `origin` say what to name when it is none.

    `least` is the shortest that makes sense there, 0 or 1 ms.

    >>> duration_ms("size", "5m", "app.py:7")
    300000
    """
    ms = _parsed(value)
    if ms is None:
        raise OptionInvalid(option, value, _FORM, origin)
    if not least <= ms <= _MOST:
        raise OptionInvalid(option, value, f"a duration of {'0 ms' if least == 0 else f'{least} ms'} or more", origin)
    return ms


def duration_text(ms: int) -> str:
    """A span as a user would write it, in the largest unit that has no rest.

    >>> duration_text(90_000), duration_text(7_200_000), duration_text(0)
    ('90s', '2h', '0s')
    """
    for unit, size in reversed(_UNITS.items()):
        if ms and ms % size == 0:
            return f"{ms // size}{unit}"
    return "0s"


def _parsed(value: object) -> int | None:
    if isinstance(value, timedelta):
        ms, rest = divmod(value, timedelta(milliseconds=1))
        return None if rest else ms
    if not isinstance(value, str):
        return None
    written = _WRITTEN.fullmatch(value)
    return int(written[1]) * _UNITS[written[2]] if written else None
