"""Whether every record of a topic was counted once: what an application wrote is held against what it read.

The application sends every record on as it is, and folds the values of each key: how many, their sum, the least and the
most. Folds may leave out steps in between, for only settled changes are sent on; what they tell has to be true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Pair = tuple[str, int]


@dataclass(frozen=True)
class Fold:
    """What has become of the first so many values of a key."""

    count: int
    total: int
    least: int
    most: int

    @staticmethod
    def before(value: int) -> Fold:
        """That of a key which has none, in front of its first value."""
        return Fold(0, 0, value, value)

    def plus(self, value: int) -> Fold:
        """With one value more."""
        return Fold(self.count + 1, self.total + value, min(self.least, value), max(self.most, value))


class Wrong(AssertionError):
    """Something was lost, doubled, swapped or miscounted."""


def check_echo(read: Mapping[int, Sequence[object]], written: Mapping[int, Sequence[object]]) -> None:
    """Every partition was written as it was read: nothing more, nothing less, in order."""
    for partition in read.keys() | written.keys():
        wanted, found = list(read.get(partition, ())), list(written.get(partition, ()))
        for number, (one, other) in enumerate(zip(wanted, found, strict=False)):
            if one != other:
                raise Wrong(f"record {number} of partition {partition} is {other}, and should be {one}")
        if len(wanted) != len(found):
            raise Wrong(f"partition {partition} has {len(found)} records, and should have {len(wanted)}")


def check_folds(read: Mapping[int, Sequence[Pair]], written: Sequence[tuple[str, Fold]]) -> None:
    """Counts only grow, each fold is that of as many values as it says, and the last is that of all."""
    folds: defaultdict[str, list[Fold]] = defaultdict(list)
    for key, value in (pair for pairs in read.values() for pair in pairs):
        folds[key].append((folds[key][-1] if folds[key] else Fold.before(value)).plus(value))
    last: defaultdict[str, int] = defaultdict(int)
    for key, fold in written:
        if key not in folds:
            raise Wrong(f"nobody wrote the key {key!r}")
        if fold.count <= last[key]:
            raise Wrong(f"{key!r} was counted to {last[key]}, and then to {fold.count}")
        if fold.count > len(folds[key]) or fold != folds[key][fold.count - 1]:
            raise Wrong(f"{key!r} is said to have {fold}, of {len(folds[key])} values")
        last[key] = fold.count
    for key, wanted in folds.items():
        if last[key] != len(wanted):
            raise Wrong(f"{key!r} was counted to {last[key]}, there are {len(wanted)}")
