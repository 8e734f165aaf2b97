"""Files of an application on stream threads: its lock, its layout, and copies of the state that is in Kafka."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from headrace.engine.layout import CheckpointLayout
from headrace.engine.place import Place, writing
from headrace.errors import CheckpointBroken, CheckpointInUse
from headrace.log.files import make_private, write_whole
from headrace.log.locks import FileLock

_LAYOUT = "headrace.json"
_LAST_BREATH_S = 20.0


class LiveFiles:
    """A directory beside a checkpoint of batches, held by one process at a time.

    Where it is lost the state is read from its changelog, and the layout is what the topics say.
    """

    def __init__(self, app: str, place: Place) -> None:
        self._app, self.directory = app, place.directory / "live"
        self._lock = FileLock(self.directory / "lock")

    @property
    def log(self) -> Path:
        """Spark's log."""
        return self.directory / "spark.log"

    @property
    def state(self) -> Path:
        """Copies of the state of each task."""
        return self.directory / "state"

    @property
    def lock(self) -> int:
        """The open lock, for a child that must hold it too."""
        return self._lock.descriptor

    def take(self) -> None:
        """Make sure that the directory can be written, and that nobody else works on it."""
        with writing(str(self.directory)):
            make_private(self.directory)
            taken = self._lock.take(wait_s=_LAST_BREATH_S)  # a JVM whose process was killed ends in a moment
            if taken:
                write_whole(self.directory / "pid", f"{os.getpid()}\n")
        if not taken:
            raise CheckpointInUse(self._app, str(self.directory), self._holder())

    def release(self) -> None:
        """Let others work on the directory."""
        self._lock.release()

    def known_layout(self) -> CheckpointLayout | None:
        """The layout of the last start, if it is here."""
        path = self.directory / _LAYOUT
        try:
            return CheckpointLayout(**json.loads(path.read_text()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise CheckpointBroken(str(path), str(error)) from None

    def keep(self, layout: CheckpointLayout) -> None:
        """Keep the layout of this start."""
        with writing(str(self.directory)):
            write_whole(self.directory / _LAYOUT, json.dumps(asdict(layout), indent=2) + "\n")

    def _holder(self) -> str:
        try:
            return (self.directory / "pid").read_text().strip()
        except OSError:
            return "unknown"
