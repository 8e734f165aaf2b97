"""What operators remember beside their stores, when the keys of several tasks come to one.

Stream time is the latest of all tasks from which something comes: it never goes back, and what was late stays late. How
far an operator has come with what lies in its cells is the earliest of all: what one task had not done yet is done
when time moves next. Whatever another had done already must not be there any more, see `Moving`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import fields
from typing import Any

from headrace.errors import RescaleRefused
from headrace.state.cells import LATEST
from headrace.state.codec import StateCodec
from headrace.state.faults import StateFault
from headrace.task import operators as _operators  # noqa: F401  # what they remember is read by its classes

_PARTITION = re.compile(r"time of (\S+) (\d+)")


class Kernel:
    """Numbers, in the cells of the kernel."""

    family = "memory"
    latest = frozenset(
        {
            "stream time",
            "stream time stood",
            "stream time since",
            "stream time of the task",
            "newest",
            "newest unmatched left",
            "newest unmatched right",
            "newest waiting",
            "arrived",
        }
    )
    earliest: Mapping[str, int] = {
        "closed": -1,
        "next to close": 0,
        "next to forget": 0,
        "next turn": LATEST,
        "earliest unmatched": LATEST,
        "earliest turn": LATEST,
    }
    """What is done first, with what it is before anybody has written it."""

    counted = ("records held back", "bytes held back")

    @staticmethod
    def read(data: bytes) -> int:
        """A number."""
        (number,) = struct.unpack(">q", data)
        return int(number)

    @staticmethod
    def write(number: int) -> bytes:
        """Its bytes."""
        return struct.pack(">q", number)

    @classmethod
    def merged(cls, what: str, things: list[Any]) -> Any:
        """Merge what several tasks remember for the task that they come to; None where not all know something."""
        there = [one for one in things if one is not None]
        if what in cls.latest:
            return max(there)
        if what in cls.earliest:
            return min(cls.earliest[what] if one is None else one for one in things)
        if what in cls.counted:
            return 0  # the cells tell
        raise _unknown(what)


class Python:
    """Things of any kind, as a Python process writes them."""

    family = "python.memory"
    rules: Mapping[str, Mapping[str, Callable[[Iterable[Any]], Any]]] = {
        "stream time of the task": {"ms": max},
        "stream time": {"ms": max, "stood": max, "since": max},
        "versions": {"newest": max},
        "closed": {"up_to": min},
        "times": {"newest": max, "gone": min, "earliest": min},
        "ends": {"newest": max, "gone": min, "earliest": min},
        "next turn of expiry": {"ms": min},
        "earliest unmatched": {"ms": min},
        "arrived": {"count": max, "earliest": min},
        "held back": {"count": max, "size": max, "first": min},  # the cells tell how many
    }

    def __init__(self, codec: StateCodec) -> None:
        self._read, self.write = codec.read, codec.write

    def read(self, data: bytes) -> Any:
        """A thing; whatever must not be read here is refused."""
        try:
            return self._read(data)
        except StateFault as fault:
            raise RescaleRefused(f"state of Python processes: {fault.reason}", fault.fix) from fault

    @classmethod
    def merged(cls, what: str, things: list[Any]) -> Any:
        """Merge what several tasks remember, as a Python process writes it."""
        there = [one for one in things if one is not None]
        if what == "files begun":
            return set[str]().union(*there)
        if what not in cls.rules:
            raise _unknown(what)
        made, rules = copy(there[0]), cls.rules[what]
        for field in fields(made):
            known = [value for one in there if (value := getattr(one, field.name)) is not None]
            setattr(made, field.name, rules[field.name](known) if known else None)
        return made

    def recounted(self, buffer: bytes, held: Iterable[bytes]) -> Any:
        """Buffer of a suppression, counted anew; each change has its size at its end."""
        known, sizes = self.read(buffer), [self.read(one)[-1] for one in held]
        known.count, known.size = len(sizes), sum(sizes)
        return known


def partition_times(what: str, thing: Any) -> dict[str, int] | None:
    """The latest times of partitions that a source remembers, as topic-partition; None if it is something else."""
    if what == "partition times":
        return dict(thing)
    found = _PARTITION.fullmatch(what)
    return {f"{found[1]}-{found[2]}": thing} if found else None


def _unknown(what: str) -> RescaleRefused:
    return RescaleRefused(f"nobody knows how {what!r} of several tasks becomes one", "tell us: this is a fault of ours")
