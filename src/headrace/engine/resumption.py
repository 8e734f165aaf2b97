"""Resumption from a checkpoint, and the progress of the first batch, which loads the state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

_QUIET_S, _EACH_S = 3.0, 5.0


@dataclass(frozen=True)
class Resumption:
    """An earlier run that left state."""

    batch: int | None
    """The last one that it finished; None where state goes on from a commit."""
    tasks: int
    size: int | None
    """Bytes of state, if they are known."""

    def __str__(self) -> str:
        state = "state" if self.size is None else f"{size_text(self.size)} of state"
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks} tasks"
        behind = "the last commit" if self.batch is None else f"batch {self.batch}"
        return f"going on behind {behind} with {state} in {tasks}"


class Restoring:
    """Watches the first batch after a start, and says how far it is if it takes its time."""

    def __init__(self, say: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._say, self._now = say, now
        self._begun: float | None = None
        self._said: float | None = None

    def look(self, done: int, tasks: int) -> None:
        """So many tasks of the batch are done; it has none while no batch runs."""
        now = self._now()
        if tasks == 0:
            return
        if self._begun is None:
            self._begun = now
        due = self._begun + _QUIET_S if self._said is None else self._said + _EACH_S
        if now >= due:
            self._said = now
            self._say(f"restoring state: {done} of {tasks} tasks done")

    def end(self, duration_ms: int) -> None:
        """The batch is done."""
        if self._said is not None:
            self._say(f"restored, first batch done after {duration_ms / 1000:.1f} s")


def size_text(size: int) -> str:
    """A number of bytes, in few letters."""
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1e3:.0f} kB"
