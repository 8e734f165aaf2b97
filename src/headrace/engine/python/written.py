"""What tasks write, on its way to partitions of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headrace.errors import TopicMissing
from headrace.log.output import Output
from headrace.log.partitioner import partition_of
from headrace.log.topics import Topics
from headrace.plan.nodes import Changelog, DeadLetters, To
from headrace.task.loop import Written


class Writing:
    """Writes the records of a loop, and counts them."""

    def __init__(self, topics: Topics, output: Output, *, create: bool) -> None:
        self._topics, self._output, self._create = topics, output, create
        self._counts: dict[str, int] = {}
        self._out = self._rows = self._letters = 0

    def partitions_of(self, topic: str) -> int:
        """How many partitions a topic has; one that nobody has named before may have to be made."""
        count = self._counts.get(topic)
        if count is None:
            count = self._topics.partitions([topic])[topic]
            if count is None and self._create:
                self._topics.create(topic)
                count = self._topics.partitions([topic])[topic]
            if count is None:
                raise TopicMissing([topic], self._topics.address)
            self._counts[topic] = count
        return count

    def write(self, written: Iterable[Written], chosen: Mapping[int, int]) -> None:
        """Write records, to the partitions that were chosen for some by their places."""
        for place, (node, raw) in enumerate(written):
            count, partition = self.partitions_of(raw.topic), chosen.get(place)
            if partition is None:
                partition = _without_window(node, raw.key, count)
            self._output.write(raw.topic, raw.key, raw.value, raw.ts, raw.headers, partition)
            if isinstance(node, Changelog):
                self._rows += 1
            else:
                self._out += 1
                self._letters += isinstance(node, DeadLetters)

    def counted(self) -> tuple[int, int, int]:
        """How many records were written since the last call: outputs, rows, dead letters among the outputs."""
        found = self._out, self._rows, self._letters
        self._out = self._rows = self._letters = 0
        return found


def _without_window(node: To, key: bytes | None, count: int) -> int | None:
    """All windows of a key go to the partition of the key without a window, as in Kafka Streams."""
    window = getattr(node.key, "window_bytes", 0)
    if key is None or not (window or isinstance(node, Changelog)):
        return None
    return partition_of(key[: len(key) - window], count)
