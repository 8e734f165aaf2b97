"""Files that are read by others while they are written."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write so that a reader, or the next start after a crash, sees the old text or the new one, never half of it."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        fresh.write_text(text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
