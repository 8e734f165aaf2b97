"""Dropped records: reasons why operators leave records out, and their counts."""

from __future__ import annotations

from collections import Counter
from enum import Enum


class Reason(Enum):
    """Why a record was dropped."""

    NO_KEY = "no key"
    NO_VALUE = "no value"
    LATE = "late"
    OLDER = "older than the row"
    NO_TIME = "no time"
    NO_PARTITION = "no partition"
    EARLY = "before the window"
    DUPLICATE = "duplicate"
    FAILED = "failed"
    REFUSED = "refused"
    """By its topic; told by whoever writes."""
    OUTDATED = "the row has changed since it asked"


class Drops:
    """Counts of dropped records, by node and reason."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, node: str, reason: Reason) -> None:
        """Count a dropped record."""
        self._counts[node, reason.value] += 1

    def counts(self) -> dict[tuple[str, str], int]:
        """The number of records by node and reason."""
        return dict(self._counts)
