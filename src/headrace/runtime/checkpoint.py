"""The directory an application goes on from: Spark's checkpoint, and what must not change beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from headrace.errors import (
    CheckpointBroken,
    CheckpointForeign,
    CheckpointInUse,
    CheckpointUnwritable,
    PartitionsChanged,
)
from headrace.log.files import write_whole
from headrace.log.locks import FileLock

_LAST_BREATH_S = 30.0


@dataclass(frozen=True)
class Layout:
    """What a checkpoint was made with. State is found again only by those who agree on it."""

    app: str
    cluster: str
    tasks: int
    sources: dict[str, dict[str, int] | None]
    """As `Sharing.partitions`."""

    stores: list[dict[str, str]]
    """The stores of each stage, and which task owns a key of theirs."""


class Checkpoint:
    """A local checkpoint directory, held by one process at a time."""

    def __init__(self, app: str, directory: Path) -> None:
        self.directory = directory
        self._app = app
        self._lock = FileLock(directory / "lock")

    @property
    def spark(self) -> str:
        """Where Spark keeps offsets, commits and state."""
        return (self.directory / "spark").as_uri()

    @property
    def log(self) -> Path:
        """Spark's log."""
        return self.directory / "spark.log"

    def take(self) -> None:
        """Make sure that the directory can be written, and that nobody else works on it."""
        with self._writing():
            self.directory.mkdir(parents=True, exist_ok=True)
            taken = self._lock.take() or (self._orphaned() and self._lock.take(wait_s=_LAST_BREATH_S))
            if taken:
                write_whole(self._pid, f"{os.getpid()}\n")
        if not taken:
            raise CheckpointInUse(self._app, str(self.directory), self._holder())

    @property
    def lock(self) -> int:
        """The open lock, for a child that must hold it too."""
        return self._lock.descriptor

    def release(self) -> None:
        """Let others work on the directory."""
        self._lock.release()

    def known_layout(self) -> Layout | None:
        """The layout the checkpoint was made with, if it was used before."""
        try:
            return Layout(**json.loads(self._layout.read_text()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise CheckpointBroken(str(self._layout), str(error)) from None

    def settle(self, layout: Layout) -> None:
        """Keep the layout of a first start; refuse one that differs from it later."""
        known = self.known_layout()
        if known is None:
            with self._writing():
                write_whole(self._layout, json.dumps(asdict(layout), indent=2) + "\n")
            return
        for source, there in known.sources.items():
            _refuse_other_partitions(there, layout.sources.get(source))
        for name, words in _WORDS.items():
            there, here = getattr(known, name), getattr(layout, name)
            if there != here:
                raise CheckpointForeign(str(self.directory), words, there, here)

    @property
    def _layout(self) -> Path:
        return self.directory / "headrace.json"

    @property
    def _pid(self) -> Path:
        return self.directory / "pid"

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CheckpointUnwritable(str(self.directory), error.strerror or str(error)) from None

    def _orphaned(self) -> bool:
        """Whether the lock is held only by the JVM of a process that was killed: it ends by itself in a moment."""
        try:
            os.kill(int(self._holder()), 0)
        except (ValueError, ProcessLookupError):
            return True
        except PermissionError:
            return False
        return False

    def _holder(self) -> str:
        try:
            return self._pid.read_text().strip()
        except OSError:
            return "unknown"


_WORDS = {
    "app": "application",
    "cluster": "the Kafka cluster",
    "tasks": "a number of tasks of",
    "sources": "the sources",
    "stores": "the stores",
}


def _refuse_other_partitions(there: dict[str, int] | None, here: dict[str, int] | None) -> None:
    for topic, count in (there or {}).items():
        now = (here or {}).get(topic, count)
        if now != count:
            raise PartitionsChanged(topic, count, str(now))
