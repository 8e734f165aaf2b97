"""Deadline: a time by which something has to be over."""

from __future__ import annotations

import time


class Deadline:
    """The end of a span of time that begins now, whatever becomes of the machine's clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._begun = seconds, time.monotonic()

    @property
    def gone(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._begun

    def left(self, part: float = 1.0) -> float:
        """The seconds until this part of the span is over; 0 afterwards."""
        return max(0.0, self._seconds * part - self.gone)
