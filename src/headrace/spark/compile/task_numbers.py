"""Task numbers of rows: the bucket of a key, as the integer that Spark groups by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tasks:
    """The grouping integers of all tasks, in the order of their buckets."""

    groups: Sequence[int]

    def __len__(self) -> int:
        return len(self.groups)

    def of_partition(self, partition: str) -> str:
        """SQL for the task of a topic partition."""
        return self._group(f"{partition} % {len(self)}")

    def of_key(self, encoded: str, buckets: int | None = None) -> str:
        """SQL for the task of a key, by Kafka's own hash of its bytes."""
        return self._group(f"hr_bucket({encoded}, {min(buckets or len(self), len(self))})")

    def all(self) -> str:
        """SQL for the list of all tasks."""
        return f"array({', '.join(map(str, self.groups))})"

    def _group(self, bucket: str) -> str:
        # Not array[...]: Spark 4.3 takes that for never null, and looks at place -1 for a row without a key.
        return f"get({self.all()}, {bucket})"
