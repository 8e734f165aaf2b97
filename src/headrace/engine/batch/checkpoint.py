"""The directory an application goes on from: Spark's checkpoint, and what must not change beside it."""

from __future__ import annotations

import json
import shutil
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from headrace.engine import layout as layouts
from headrace.engine.batch.batch_log import BatchLog
from headrace.engine.batch.state_size import bytes_to_load
from headrace.engine.inventory import StateInventory
from headrace.engine.layout import CheckpointLayout, Starts
from headrace.engine.lock import PlaceLock
from headrace.engine.place import writing
from headrace.engine.resumption import Resumption
from headrace.errors import (
    CheckpointBroken,
    CheckpointForeign,
)
from headrace.log.files import make_private, write_whole

_LAYOUT = "headrace.json"
_EARLIER = {"pickled": True}
"""What earlier versions did, and did not say."""
_SPARK = "spark"
_QUERY = f"{_SPARK}/metadata"
_FRESH = "spark.new"
_RESET = "reset.json"


class Files(Protocol):
    """Small texts at a place that others may read too."""

    def read(self, name: str) -> str | None:
        """A text; None if there is none of this name."""

    def write(self, name: str, text: str) -> None:
        """Write a text so that nobody ever sees half of it."""

    def remove(self, name: str) -> None:
        """Remove a text, or a directory with all that is in it, if it is there."""

    def names(self, name: str) -> list[str]:
        """Names of the files in a directory; none if it is not there."""


@dataclass(frozen=True)
class LocalFiles:
    """Texts in a directory."""

    directory: Path

    def read(self, name: str) -> str | None:
        try:
            return (self.directory / name).read_text()
        except FileNotFoundError:
            return None

    def write(self, name: str, text: str) -> None:
        make_private((self.directory / name).parent)
        write_whole(self.directory / name, text)

    def remove(self, name: str) -> None:
        path = self.directory / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def names(self, name: str) -> list[str]:
        path = self.directory / name
        return [one.name for one in path.iterdir()] if path.is_dir() else []


class Checkpoint:
    """A checkpoint, held by one process of this machine at a time.

    It is a directory; or it is at an address that a cluster shares, with `files` there, and only the lock and Spark's
    log are in the directory.
    """

    def __init__(self, app: str, directory: Path, address: str | None = None, files: Files | None = None) -> None:
        self.directory = directory
        self.place = address or str(directory)
        self._app = app
        self._address = address or directory.absolute().as_uri()
        self._files = files or LocalFiles(directory)
        self._lock = PlaceLock(app, directory, self.place)

    @property
    def spark(self) -> str:
        """Directory of Spark's offsets, commits and state."""
        return f"{self._address.rstrip('/')}/{_SPARK}"

    @property
    def log(self) -> Path:
        """Spark's log."""
        return self.directory / "spark.log"

    def take(self) -> None:
        """Make sure that the directory can be written, and that nobody else works on it."""
        self._lock.take()

    @property
    def lock(self) -> int:
        """The open lock, for a child that must hold it too."""
        return self._lock.descriptor

    def release(self) -> None:
        """Let others work on the directory."""
        self._lock.release()

    def known_layout(self) -> CheckpointLayout | None:
        """The layout the checkpoint was made with, if it was used before."""
        try:
            text = self._files.read(_LAYOUT)
            return None if text is None else CheckpointLayout(**(_EARLIER | json.loads(text)))
        except (OSError, ValueError, TypeError) as error:
            raise CheckpointBroken(f"{self.place.rstrip('/')}/{_LAYOUT}", str(error)) from None

    def reset(self, starts: Starts) -> None:
        """Forget all that was done: the next start reads from here, and completes this if it was broken off."""
        with writing(self.place):
            self._files.write(_RESET, json.dumps({"starts": starts}, indent=2) + "\n")
        self.complete_reset()

    @property
    def begun(self) -> bool:
        """Whether Spark has something in the directory to go on from."""
        return (self.directory / _SPARK / "offsets").is_dir()

    def adopt(self, other: Checkpoint, layout: CheckpointLayout) -> CheckpointLayout:
        """Go on from where another run of the same application has come to, which stays as it is; the new layout.

        Changelogs are not in there: those of this application do not fit its state any more.
        """
        adopted = replace(layout, app=self._app, changelogs=[], query=str(uuid.uuid4()))
        with self.renewed(adopted) as fresh, writing(self.place):
            shutil.copytree(other.directory / _SPARK, fresh, dirs_exist_ok=True)
            # Another query, for both go on: what one has written does not tell of the batches of the other.
            (fresh / ".metadata.crc").unlink(missing_ok=True)
            (fresh / "metadata").write_text(json.dumps({"id": adopted.query}))
        return adopted

    def half_done(self) -> tuple[str, int] | None:
        """The query and the batch that was begun and is not done, of which a part may be written; None without one."""
        begun, done = (self._last(log) for log in ("offsets", "commits"))
        if begun <= done:
            return None
        return self._query(), begun

    @property
    def has_state(self) -> bool:
        """Whether a batch is done: what one that was broken off has kept counts as nothing."""
        return self._last("commits") >= 0

    def refuse_lost_layout(self) -> None:
        """Refuse to take for a first start what has done batches: nobody knows by which layout."""
        if self.has_state:
            raise CheckpointBroken(
                f"{self.place.rstrip('/')}/{_LAYOUT}", "it is gone, and Spark has done batches there"
            )

    @contextmanager
    def renewed(self, layout: CheckpointLayout) -> Iterator[Path]:
        """A directory for what Spark is to go on from; when the block is through, it is what is there.

        If it is broken off before, nothing has changed; and afterwards the next start completes it.
        """
        self.complete_reset()  # one that was broken off may need what is at the same place
        fresh = self.directory / _FRESH
        with writing(self.place):
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
        try:
            yield fresh
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        with writing(self.place):
            self._files.write(_RESET, json.dumps({"layout": asdict(layout)}, indent=2) + "\n")
        self.complete_reset()

    def complete_reset(self) -> Starts | None:
        """Complete a reset: its start offsets; None if there was none since the last start."""
        text = self._files.read(_RESET)
        if text is None:
            return None
        wanted = json.loads(text)
        with writing(self.place):
            if "starts" in wanted:
                self._files.remove(_SPARK)
                self._files.remove(_LAYOUT)
                starts: Starts = wanted["starts"]
                return starts
            if (self.directory / _FRESH).is_dir():
                self._files.remove(_SPARK)
                (self.directory / _FRESH).rename(self.directory / _SPARK)
            self._files.write(_LAYOUT, json.dumps(wanted["layout"], indent=2) + "\n")
            self._files.remove(_RESET)
        return None

    def settle(self, layout: CheckpointLayout) -> None:
        """Keep the layout of a first start; refuse one later that does not fit it, and keep what is new in it."""
        known = self.known_layout()
        if known is not None:
            self.refuse_misfit(known, layout)
        layout = replace(layout, query=self._query() or str(uuid.uuid4()))
        if known != layout or known.query != layout.query:
            with writing(self.place):
                if not self.has_state:
                    self._files.remove(f"{_SPARK}/state")
                self._files.write(_LAYOUT, json.dumps(asdict(layout), indent=2) + "\n")
        if not self._query():
            with writing(self.place):
                self._files.write(_QUERY, json.dumps({"id": layout.query}))
        self._files.remove(_RESET)

    def relocate(self) -> None:
        """Have Spark find what it has noted by its place where it is now: a directory may have been moved."""
        if isinstance(self._files, LocalFiles):
            with writing(self.place):
                BatchLog(self.directory / _SPARK).relocate()

    def resumption(self, tasks: int) -> Resumption | None:
        """Resumption of this checkpoint; None before a batch is done, and where no state is kept."""
        try:
            done = self._last("commits")
            if done < 0 or not self._files.names(f"{_SPARK}/state"):
                return None
            # At an address that others share, to look into every file may take longer than to load them.
            size = bytes_to_load(self.directory / _SPARK / "state") if isinstance(self._files, LocalFiles) else None
        except (OSError, KeyError, zipfile.BadZipFile):
            return None  # only told: whoever reads it next says what is wrong with it
        return Resumption(done, tasks, size)

    def refuse_foreign(self, known: CheckpointLayout, app: str, cluster: str) -> None:
        """Refuse a checkpoint of another application, or of one on another cluster."""
        layouts.refuse_foreign(self.place, known, app, cluster)
        here = self._query()
        if known.query and here and here != known.query:
            back = f"put back the directory {_SPARK!r} that belongs here, or begin anew: headrace reset"
            raise CheckpointForeign(self.place, "Spark's query", known.query, here, back)

    def refuse_misfit(self, known: CheckpointLayout, layout: CheckpointLayout) -> None:
        """Refuse a layout that cannot go on from the one that is known."""
        self.refuse_foreign(known, layout.app, layout.cluster)
        layouts.refuse_misfit(self.place, known, layout, has_state=self.has_state)

    def refuse_other_state(self, known: CheckpointLayout, here: StateInventory) -> None:
        """Refuse stages that do not find again what is kept."""
        layouts.refuse_other_state(self._app, self.place, known, here)

    def _query(self) -> str:
        """The id of Spark's query, "" before there is one."""
        text = self._files.read(_QUERY)
        try:
            return "" if text is None else str(json.loads(text)["id"])
        except (ValueError, KeyError, TypeError):
            raise CheckpointBroken(f"{self.place.rstrip('/')}/{_QUERY}", "it does not name a query") from None

    def _last(self, log: str) -> int:
        """The last batch of which a log of Spark's knows, -1 before the first."""
        last = max((int(name) for name in self._files.names(f"{_SPARK}/{log}") if name.isdigit()), default=-1)
        if last >= 0 and not self._files.read(f"{_SPARK}/{log}/{last}"):
            reason = "it is empty, as files may be after the power was lost"
            raise CheckpointBroken(f"{self.place.rstrip('/')}/{_SPARK}/{log}/{last}", reason)
        return last
