"""How the records of an application are shared among its tasks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sharing:
    """The number of tasks, and for each source by which rule its records find theirs.

    A source has here the partitions of its topics if its records go to the task of their partition and meet a store
    there, None if they go to the task of their key, and nothing at all ({}) if it does not matter.
    """

    tasks: int
    partitions: dict[str, dict[str, int] | None]

    def goes_by_key(self, source: str) -> bool:
        """Whether the records of a source go to the task of their key."""
        return self.partitions[source] is None
