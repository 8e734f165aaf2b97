"""Console output of user code in a Python process, on its way to the application's console."""

from __future__ import annotations

import io


class Shown(io.TextIOBase):
    """In the place of standard output: keeps what is written until somebody takes it along."""

    def __init__(self) -> None:
        self._written: list[str] = []

    def write(self, text: str) -> int:
        self._written.append(text)
        return len(text)

    def writable(self) -> bool:
        return True

    def take(self) -> bytes | None:
        """Take the text that was written since the last time."""
        if not self._written:
            return None
        written, self._written = "".join(self._written), []
        return written.encode(errors="replace")
