"""Paths on this machine: the cache, pyspark's jars, and which files of the cache stay."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

from headrace.errors import CacheUnwritable, SparkMissing

_KEPT = 3
_IN_USE_S = 7 * 24 * 3600.0


def cache_dir() -> Path:
    """Folder of what can be made again: jars, the compiled kernel. It may not exist yet."""
    chosen = os.environ.get("HEADRACE_CACHE_DIR")
    return Path(chosen).expanduser().absolute() if chosen else user_cache_path("headrace", appauthor=False)


def data_dir() -> Path:
    """Folder of what cannot be made again: broker logs, checkpoints. It may not exist yet."""
    chosen = os.environ.get("HEADRACE_DATA_DIR")
    return Path(chosen).expanduser().absolute() if chosen else user_data_path("headrace", appauthor=False)


def pyspark_jars() -> Path:
    """Folder of the jars inside pyspark, found without importing it: that takes most of a second."""
    spec = find_spec("pyspark")
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "jars"
        if folder.is_dir():
            return folder
    raise SparkMissing


@contextmanager
def cache_folder(name: str) -> Iterator[Path]:
    """Make a folder in the cache; trouble of the disk while working in it is CacheUnwritable."""
    folder = cache_dir() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except OSError as error:
        raise CacheUnwritable(str(folder), error.strerror or str(error)) from None


def mark_used(file: Path) -> bool:
    """Mark a file of the cache as used now; False when it is not there."""
    try:
        os.utime(file)
    except FileNotFoundError:
        return False
    return True


def keep_newest(folder: Path, pattern: str) -> None:
    """Keep the files used last, and all that may be in use: others may work in checkouts of their own."""
    in_use = time.time() - _IN_USE_S
    for old in sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime)[:-_KEPT]:
        if old.stat().st_mtime < in_use:
            old.unlink(missing_ok=True)
