"""Size of the state in a checkpoint of Spark, as far as a start loads it."""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from pathlib import Path

_VERSION = re.compile(r"(\d+)(?:_[\w-]+)?\.(zip|changelog)")
_SIZE = re.compile(rb'"sizeBytes":(\d+)')


def bytes_to_load(states: Path) -> int:
    """Bytes of state that Spark loads from a checkpoint: the last snapshot of each store, and changes since."""
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
