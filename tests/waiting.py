"""Wait for something to come true, but not for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import headrace as hr

T = TypeVar("T")

_PAUSE_S = 0.1


def until(true: Callable[[], T | None], what: str | Callable[[], object], within_s: float = 120.0) -> T:
    """Ask again and again, and return the first answer that is true; if none is in time, `what` is the failure."""
    deadline = time.monotonic() + within_s
    while not (answer := true()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s:g} s: {what() if callable(what) else what}")
        time.sleep(_PAUSE_S)
    return answer


def while_up(app: hr.App, true: Callable[[], object], what: str, within_s: float = 120.0) -> None:
    """The same of an application that has to run on; what it fails of is raised."""

    def answered() -> object:
        answer = true()
        assert answer or not app.wait(0), f"the application ended by itself before {what}"
        return answer

    until(answered, what, within_s)


def until_read(app: hr.App, records: int) -> None:
    """Wait until an application has finished batches of so many records."""
    while_up(app, lambda: app.metrics().records_in >= records, f"{records} records in")
