"""The directory an application goes on from: Spark's checkpoint, and what must not change beside it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from headrace.errors import CheckpointForeign, CheckpointInUse, CheckpointUnwritable
from headrace.log.locks import FileLock


@dataclass(frozen=True)
class Layout:
    """What a checkpoint was made with. State is found again only by those who agree on it."""

    app: str
    cluster: str
    tasks: int
    by_partition: dict[str, bool]
    """Of each source, whether its records go to the task of their partition, or else of their key."""

    stores: list[list[str]]
    """The stores of each stage."""


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
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            taken = self._lock.take()
            if taken:
                self._pid.write_text(f"{os.getpid()}\n")
        except OSError as error:
            raise CheckpointUnwritable(str(self.directory), error.strerror or str(error)) from None
        if not taken:
            raise CheckpointInUse(self._app, str(self.directory), self._holder())

    def release(self) -> None:
        """Let others work on the directory."""
        self._lock.release()

    def known_layout(self) -> Layout | None:
        """The layout the checkpoint was made with, if it was used before."""
        try:
            return Layout(**json.loads(self._layout.read_text()))
        except FileNotFoundError:
            return None

    def settle(self, layout: Layout) -> None:
        """Keep the layout of a first start; refuse one that differs from it later."""
        known = self.known_layout()
        if known is None:
            self._layout.write_text(json.dumps(asdict(layout), indent=2) + "\n")
            return
        for name, here in asdict(layout).items():
            there = getattr(known, name)
            if there != here:
                raise CheckpointForeign(str(self.directory), _WORDS[name], there, here)

    @property
    def _layout(self) -> Path:
        return self.directory / "headrace.json"

    @property
    def _pid(self) -> Path:
        return self.directory / "pid"

    def _holder(self) -> str:
        try:
            return self._pid.read_text().strip()
        except OSError:
            return "unknown"


_WORDS = {
    "app": "application",
    "cluster": "the Kafka cluster",
    "tasks": "a number of tasks of",
    "by_partition": "the sources",
    "stores": "the stores",
}
