"""What an engine wrote while it ran a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from headrace.model.record import Record


class Observed:
    """The records of each topic, batch by batch, or why there are none."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.drops: Counter[tuple[str, str]] = Counter()
        """How many records were dropped, by node and reason."""
        self._batches: list[Mapping[str, Sequence[Record]]] = []

    def add(self, batch: Mapping[str, Sequence[Record]]) -> None:
        """What a batch wrote, by topic."""
        self._batches.append(batch)

    def after(self, batch: int, topic: str) -> tuple[Sequence[Record], Sequence[Record]]:
        """What a batch wrote to a topic, and what all batches up to it did."""
        if self.failure is not None:
            raise self.failure
        written = [one[topic] for one in self._batches[: batch + 1]]
        return written[-1], [record for records in written for record in records]
