"""Order of records that were fetched: the partition whose first record is the earliest goes next."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from heapq import heappop, heappush

from headrace.log.input import Fetched, Place

_PATIENCE_S = 0.3
_MANY = 10_000
_PART = 500


class HeadOrder:
    """Records of all partitions that wait for their turn.

    A partition that is known to have more is waited for, since its next record may be the earliest; 0.3 s at most, and
    not while too many others wait.
    """

    def __init__(self, rank: Callable[[str], int], lag: Callable[[Place], int]) -> None:
        self._rank, self._lag = rank, lag
        self._waiting: dict[Place, deque[Fetched]] = {}
        self._heads: list[tuple[int, int, Place]] = []
        self._since: float | None = None
        self._count = 0

    @property
    def full(self) -> bool:
        """Whether so many wait that no more should be fetched."""
        return self._count > _MANY

    def __len__(self) -> int:
        return self._count

    def add(self, place: Place) -> None:
        """Records of a partition may come."""
        self._waiting[place] = deque()

    def put(self, record: Fetched) -> None:
        """A record was fetched."""
        waiting = self._waiting[record.place]
        waiting.append(record)
        self._count += 1
        if len(waiting) == 1:
            self._push(record)

    def take(self, now: float) -> list[Fetched]:
        """The records whose turn it is."""
        if not self._heads:
            return []
        patient = not self.full and self._is_patient(now)
        taken: list[Fetched] = []
        if patient and any(not waiting and self._lag(place) for place, waiting in self._waiting.items()):
            return taken
        while self._heads and len(taken) < _PART:
            place = heappop(self._heads)[2]
            waiting = self._waiting[place]
            taken.append(waiting.popleft())
            if waiting:
                self._push(waiting[0])
            elif patient and self._lag(place):
                break
        self._since = None
        self._count -= len(taken)
        return taken

    def _is_patient(self, now: float) -> bool:
        if self._since is None:
            self._since = now
        return now - self._since < _PATIENCE_S

    def _push(self, record: Fetched) -> None:
        heappush(self._heads, (record.ts, self._rank(record.place[0]), record.place))


def by_names(ranks: Mapping[str, int]) -> Callable[[str], int]:
    """The rank of a topic: in the order of the plan, and those that a pattern has found behind them."""
    return lambda topic: ranks.get(topic, len(ranks))
