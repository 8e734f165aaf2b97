"""Cases whose records come in a few random batches."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cases.table import Case, Row, Step, Topology, every, put
from conformance.observed import Observed
from conformance.task_engine import observe
from headrace.model.record import Record

Ends = Sequence[int]
"""How many records there were at the end of each batch."""


@dataclass(frozen=True)
class Unbatched:
    """A case that may get its records in any batches."""

    title: str
    topology: Topology
    outputs: Sequence[str]
    inputs: Sequence[tuple[str, Row]]

    def case(self, ends: Ends, emit: str) -> Case:
        """The case with the records up to the last end."""
        steps: list[Step] = []
        for begin, end in pairwise([0, *ends]):
            steps += [put(topic, row) for topic, row in self.inputs[begin:end]]
            steps += map(every, self.outputs)
        return Case(self.title, self.topology, *steps, emit=emit)

    def settling(self, chance: random.Random) -> Case:
        """With any batches, and only settled changes."""
        count = len(self.inputs)
        ends = chance.sample(range(1, count), min(chance.randint(2, 4), count - 1))
        return self.case([*sorted(ends), count], "settled")

    def as_if_single(self, chance: random.Random, most: int | None = None) -> Case:
        """With batches that write what the records write one by one, as the Python tasks say, and every change.

        A batch takes its topics in step by time, often in another order than that of the records: then batches are
        small. With so many at most, the case ends with the last of them.
        """
        count = len(self.inputs)
        single = observe(self.case(range(1, count + 1), "every"))
        ends: list[int] = []
        while len(ends) != most and (begin := ends[-1] if ends else 0) < count:
            size = min(chance.randint(count // 4 + 1, count // 2 + 1), count - begin)
            while size and not self._alike([*ends, begin + size], single):
                size //= 2
            if not size:
                break
            ends.append(begin + size)
        return self.case(ends, "every")

    def _alike(self, ends: Ends, single: Observed) -> bool:
        observed = observe(self.case(ends, "every"))
        last = len(ends) - 1
        return all(
            rows(observed.after(last, topic)[1]) == rows(single.after(ends[-1] - 1, topic)[1]) for topic in self.outputs
        )


def rows(records: Iterable[Record]) -> list[Row]:
    """Records without their headers."""
    return [(record.key, record.value, record.ts) for record in records]
