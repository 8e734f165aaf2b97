"""Retries: whether an application that failed goes on by itself, and when."""

from __future__ import annotations

import time
from collections.abc import Callable

from headrace.errors import HeadraceError, QueryFailed, WorkerLost

_FIRST_S, _LONGEST_S = 1.0, 30.0
_SAME_TRIES = 3


class Retries:
    """Pauses that grow from try to try, until nothing has gone well for too long.

    A failure that nobody has a word for, and one of a user's own process, is not tried for long if it stays the same.
    """

    def __init__(self, limit_ms: int, now: Callable[[], float] = time.monotonic) -> None:
        self._limit_s, self._now = limit_ms / 1000, now
        self._failures: list[HeadraceError] = []
        self._since = 0.0

    def succeed(self) -> None:
        """A batch was finished: what failed before is over."""
        self._failures.clear()

    def pause(self, failure: HeadraceError) -> float | None:
        """How many seconds to wait before the next try; None if there is to be none."""
        if not self._failures:
            self._since = self._now()
        self._failures.append(failure)
        left = self._since + self._limit_s - self._now()
        if not failure.may_pass or left <= 0 or self._repeats():
            return None
        return min(_FIRST_S * 2.0 ** (len(self._failures) - 1), _LONGEST_S, left)

    def _repeats(self) -> bool:
        last = self._failures[-_SAME_TRIES - 1 :]
        same = {(failure.what, failure.where) for failure in last}
        return len(last) > _SAME_TRIES and len(same) == 1 and isinstance(last[-1], QueryFailed | WorkerLost)
