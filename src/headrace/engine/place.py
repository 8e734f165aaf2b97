"""Locations of checkpoints: a directory, or an address that a cluster shares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from headrace.errors import CheckpointUnwritable
from headrace.jvm.paths import data_dir

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """A place for a checkpoint: a directory of this machine, or an address that every machine of a cluster reaches.

    That a directory is mounted on all of them is said by its address, file:///mnt/apps/shop.
    """

    directory: Path
    """On this machine: all of the checkpoint, or its lock and Spark's log."""

    address: str | None = None
    """Of the checkpoint if it is elsewhere."""

    shared: bool = False

    @staticmethod
    def of(given: str | Path | None, app: str) -> Place:
        """The place that a user names; by default one in the user's data directory."""
        usual = data_dir() / "apps" / app
        if not given:
            return Place(usual)
        if isinstance(given, Path) or not _ADDRESS.match(given):
            return Place(Path(given).expanduser().absolute())
        parts = urlsplit(given)
        if parts.scheme.lower() == "file":
            return Place(Path(url2pathname(parts.path)), shared=True)
        return Place(usual, address=given, shared=True)

    def beside(self, name: str) -> Place:
        """Location for a run beside, with a name behind it."""
        address = self.address and f"{self.address.rstrip('/')}-{name}"
        return replace(self, directory=self.directory.with_name(f"{self.directory.name}-{name}"), address=address)

    def __str__(self) -> str:
        return self.address or str(self.directory)


@contextmanager
def writing(place: str) -> Iterator[None]:
    """Report errors of the system when files of a checkpoint cannot be written."""
    try:
        yield
    except OSError as error:
        raise CheckpointUnwritable(place, error.strerror or str(error)) from None
