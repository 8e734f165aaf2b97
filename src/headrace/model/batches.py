"""Batches of an application, with their counts and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Drops = Mapping[tuple[str, str], int]
"""How many records were dropped, by node and reason."""


@dataclass(frozen=True, kw_only=True)
class StageWork:
    """Work of one stage in a batch: records of its tasks, and the state that they keep."""

    number: int
    records_in: int
    records_out: int
    state_rows: int
    """As RocksDB guesses: a row that was written again may count twice for a while."""

    state_bytes: int
    """What the state takes in memory and on disk."""

    commit_ms: int
    """Time to make the state safe, of all tasks together."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Batch that is done."""

    number: int
    records_in: int
    records_out: int
    """Without the rows that went to changelogs."""

    duration_ms: int
    rows_logged: int = 0
    """Rows of stores that were written to changelogs."""

    dead_letters: int = 0
    """Records that were written to the topic of dead letters; they are a part of `records_out`."""

    parts_ms: Mapping[str, int] = field(default_factory=dict)
    """What the time was spent on, as Spark calls it."""

    stages: tuple[StageWork, ...] = ()
    drops: Drops = field(default_factory=dict)
    positions: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """By topic and partition: the offset of the first record behind the batch."""

    lag: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """By topic and partition: how many records were there that the batch left for later ones."""

    @property
    def records_per_s(self) -> float:
        """Records read in a second."""
        return self.records_in * 1000 / self.duration_ms if self.duration_ms else 0.0
