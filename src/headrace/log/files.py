"""Files of an application: written whole or not at all, readable for their own user alone."""

from __future__ import annotations

import os
from pathlib import Path

OWNER_ONLY = 0o700


def make_private(directory: Path) -> None:
    """Make a directory that only this user may look into; one that is there keeps its rights."""
    try:
        directory.mkdir(mode=OWNER_ONLY, exist_ok=True)
    except FileNotFoundError:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=OWNER_ONLY, exist_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write so that a reader, or the next start after a crash, sees the old text or the new one, never half of it.

    From the first byte on only this user may read it.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    try:
        with open(fresh, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
