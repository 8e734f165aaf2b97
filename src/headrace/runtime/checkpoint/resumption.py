"""What a checkpoint has to go on from, and how far the first batch is, which loads the state."""

from __future__ import annotations

import re
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_QUIET_S, _EACH_S = 3.0, 5.0
_VERSION = re.compile(r"(\d+)(?:_[\w-]+)?\.(zip|changelog)")
_SIZE = re.compile(rb'"sizeBytes":(\d+)')


@dataclass(frozen=True)
class Resumption:
    """An earlier run that left state."""

    batch: int
    """The last one that it finished."""
    tasks: int
    size: int | None
    """Bytes of state, if they are known."""

    def __str__(self) -> str:
        state = "state" if self.size is None else f"{size_text(self.size)} of state"
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks} tasks"
        return f"going on behind batch {self.batch} with {state} in {tasks}"


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


def bytes_to_load(states: Path) -> int:
    """What Spark loads of its state in a checkpoint: the last snapshot of each store, and what changed since."""
    return sum(map(_bytes_of_store, {file.parent for file in states.rglob("*") if _VERSION.fullmatch(file.name)}))


def _bytes_of_store(store: Path) -> int:
    snapshots: dict[int, Path] = {}
    changes: dict[int, int] = defaultdict(int)
    for file in store.iterdir():
        if found := _VERSION.fullmatch(file.name):
            version = int(found[1])
            if found[2] == "zip":
                snapshots[version] = file
            else:
                changes[version] = file.stat().st_size
    last = max(snapshots, default=0)
    size = sum(size for version, size in changes.items() if version > last)
    if last:
        with zipfile.ZipFile(snapshots[last]) as snapshot:
            size += sum(int(one) for one in _SIZE.findall(snapshot.read("metadata")))
    return size


def size_text(size: int) -> str:
    """A number of bytes, in few letters."""
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1e3:.0f} kB"
