"""Memory of operators beside their stores, as each lane writes it.

What becomes of it when the keys of several tasks come to one is said where it is declared, see `MergeRule`. Whatever
another task had done already must not be there any more, see `Moving`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headrace.errors import RescaleRefused
from headrace.plan.state import LaneState, Remembered, StateDescriptor, WindowState
from headrace.spark.state_layout import in_kernel, in_python
from headrace.state.codec import StateCodec
from headrace.state.faults import StateFault
from headrace.state.merging import merged
from headrace.task import operators as _operators  # noqa: F401  # what they remember is read by its classes

Things = Mapping[tuple[str, str], Any]
"""Memory of one task, by owner and name."""

EVER = -(2**63)


class Kernel:
    """Numbers, in the cells of the kernel."""

    family = "memory"
    layout: Callable[[StateDescriptor, str], LaneState] = staticmethod(in_kernel)

    @staticmethod
    def read(data: bytes) -> int:
        """A number."""
        (number,) = struct.unpack(">q", data)
        return int(number)

    @staticmethod
    def write(number: int) -> bytes:
        """Its bytes."""
        return struct.pack(">q", number)

    @staticmethod
    def merged(entry: Remembered, numbers: Sequence[int | None]) -> int:
        """Merge the numbers of the tasks that come to one; None where a task has not written it."""
        told = (entry.unwritten if one is None else one for one in numbers)
        return int(merged(entry.merge, [one for one in told if one is not None]))

    @staticmethod
    def has_seen(number: int) -> bool:
        """Whether a time tells that a record has come."""
        return number >= 0

    @staticmethod
    def up_to(closed: int | None) -> int:
        """Time up to which windows were sent on; -1 if none was."""
        return -1 if closed is None else closed

    @staticmethod
    def gone(state: WindowState, task: Things) -> int:
        """Time up to which everything is gone in the store of a task."""
        newest = task.get(state.newest.place)
        return EVER if newest is None else max(EVER, newest - state.kept_ms)

    @staticmethod
    def partition_times(what: str, number: int) -> dict[str, int]:
        """Latest times of partitions in an entry of a source's, by topic-partition."""
        topic, partition = what.split()[-2:]
        return {f"{topic}-{partition}": number}

    @staticmethod
    def entries_of_times(entry: Remembered, times: Mapping[str, int]) -> dict[str, int]:
        """Entries with the latest times of partitions: one for each."""
        return {f"{entry.what} {' '.join(name.rsplit('-', 1))}": ts for name, ts in times.items()}


class Python:
    """Things of any kind, as a Python process writes them."""

    family = "python.memory"
    layout: Callable[[StateDescriptor, str], LaneState] = staticmethod(in_python)

    def __init__(self, codec: StateCodec) -> None:
        self._read, self.write = codec.read, codec.write

    def read(self, data: bytes) -> Any:
        """A thing; whatever must not be read here is refused."""
        try:
            return self._read(data)
        except StateFault as fault:
            raise RescaleRefused(f"state of Python processes: {fault.reason}", fault.fix) from fault

    @staticmethod
    def merged(entry: Remembered, things: Sequence[Any]) -> Any:
        """Merge the things of the tasks that come to one."""
        return merged(entry.merge, [one for one in things if one is not None])

    @staticmethod
    def has_seen(thing: Any) -> bool:
        """Whether a thing tells that a record has come."""
        return bool(thing.has_seen)

    @staticmethod
    def up_to(closed: Any) -> int:
        """Time up to which windows were sent on; -1 if none was."""
        return -1 if closed is None else int(closed.up_to)

    @staticmethod
    def gone(state: WindowState, task: Things) -> int:
        """Time up to which everything is gone in the store of a task."""
        times = task.get(state.times.place)
        return EVER if times is None else int(times.gone)

    @staticmethod
    def partition_times(what: str, thing: dict[str, int]) -> dict[str, int]:  # noqa: ARG004
        """Latest times of partitions in an entry of a source's, by topic-partition."""
        return dict(thing)

    @staticmethod
    def entries_of_times(entry: Remembered, times: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """Entries with the latest times of partitions: one for all."""
        return {entry.what: dict(times)}

    def recounted(self, buffer: bytes, held: Iterable[bytes]) -> Any:
        """Buffer of a suppression, counted anew; each change has its size at its end."""
        known, sizes = self.read(buffer), [self.read(one)[-1] for one in held]
        known.count, known.size = len(sizes), sum(sizes)
        return known


Lane = Kernel | Python
