"""Files whose names carry their SHA-256: one that was damaged or replaced is noticed before it is used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from headrace.jvm.lock import sha256


@dataclass(frozen=True)
class Sealed:
    """A file of a folder, named `stem.SHA-256.suffix`: another content is another file, and none is written over."""

    folder: Path
    stem: str
    suffix: str

    def find(self) -> Path | None:
        """The file, if one is there that is what its name says."""
        return next(filter(self._is_whole, self._files()), None)

    def damaged(self) -> list[Path]:
        """Files that are not what their names say."""
        return [file for file in self._files() if not self._is_whole(file)]

    def put(self, draft: Path) -> Path:
        """Give a finished file of the same disk its name; after a crash of the machine it is there whole, or not."""
        _to_disk(draft)
        made = self.named(sha256(draft))
        draft.replace(made)
        _to_disk(self.folder)
        return made

    def named(self, digest: str) -> Path:
        """Path of the file with this SHA-256."""
        return self.folder / f"{self.stem}.{digest}.{self.suffix}"

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"{self.stem}.*.{self.suffix}"))

    def _is_whole(self, file: Path) -> bool:
        try:
            return file == self.named(sha256(file))
        except FileNotFoundError:  # another process has removed it meanwhile
            return False


def _to_disk(path: Path) -> None:
    """Wait until a file's bytes, or a folder's names, would outlive a crash of the machine."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
