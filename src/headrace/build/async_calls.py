"""Options of async functions: timeout, retries and how many calls run at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.errors import OptionInvalid
from headrace.model.durations import duration_ms

_CONCURRENCY = 64
_BACKOFF = "100ms"


def called_with(options: Mapping[str, Any], here: str) -> dict[str, Any]:
    """The parameters of a node that calls a function which waits; None is an option that was not given."""
    concurrency, timeout, retries, backoff = (
        options[name] for name in ("concurrency", "timeout", "retries", "backoff")
    )
    return {
        "concurrency": whole("concurrency", _CONCURRENCY if concurrency is None else concurrency, 1, here),
        "timeout_ms": None if timeout is None else duration_ms("timeout", timeout, here, least=1),
        "retries": whole("retries", 0 if retries is None else retries, 0, here),
        "backoff_ms": duration_ms("backoff", _BACKOFF if backoff is None else backoff, here),
    }


def check_not_given(options: Mapping[str, Any], here: str) -> None:
    """Raise for an option of functions that wait, given with one that does not."""
    for name, value in options.items():
        if value is not None:
            raise OptionInvalid(name, value, "it with a function written with async def: others do not wait", here)


def whole(option: str, value: object, least: int, here: str) -> int:
    """A whole number that is not less than `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionInvalid(option, value, f"a whole number from {least} on", here)
    return value
