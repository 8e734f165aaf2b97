"""Named stores that cannot be queried, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UnaskedStore:
    """A store that the user has named and that has no changelog: why, and what to do to ask it."""

    store: str
    origin: str
    """`file.py:line` where the user declared it."""

    why: str
    fix: str

    def __str__(self) -> str:
        return f"{self.store} cannot be asked, {self.why} ({self.origin}): {self.fix}"
