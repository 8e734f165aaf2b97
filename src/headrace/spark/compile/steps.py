"""SQL steps over rows of many edges, each for as many edges as possible.

What is done to the rows of one edge keeps its order; of what is done to those of another edge they know nothing. So
things of one kind for several edges are one step. Every step that Spark has to go through, it goes through with all
columns: a topology of many sources is planned in a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

ALL = None
"""In the place of a tag: the rows of all edges."""

ByTag = Mapping[int | None, str]
"""SQL for the rows with a tag."""


class StepKind(Enum):
    """Kind of a step."""

    KEEP = "keep"
    """Drops rows."""

    PUT = "put"
    """Computes columns, and leaves out those that nobody reads any more."""

    COPY = "copy"
    """Gives rows other tags: a row for each of a list of them."""

    EXPLODE = "explode"
    """Makes a row of each item of a list; Spark takes one such list at a time."""


@dataclass(frozen=True)
class Step:
    """A step, and what it reads: columns that have to be there until then."""

    kind: StepKind
    computed: Mapping[str, ByTag]
    reads: frozenset[str]

    def takes(self, other: Step) -> bool:
        """Whether another one may be a part of this one."""
        return self.kind is other.kind is not StepKind.EXPLODE and not (self._for_all or other._for_all)

    @property
    def _for_all(self) -> bool:
        return any(ALL in by_tag for by_tag in self.computed.values())

    def plus(self, other: Step) -> Step:
        """Both as one."""
        names = dict.fromkeys([*self.computed, *other.computed])
        computed = {name: {**self.computed.get(name, {}), **other.computed.get(name, {})} for name in names}
        return replace(self, computed=computed, reads=self.reads | other.reads)

    def sql(self, columns: Sequence[str], carried: Collection[str]) -> str:
        """Its text; `columns` are those that are needed afterwards, of which every row has the carried ones."""
        match self.kind:
            case StepKind.KEEP:
                return f"|> WHERE {by_tag(self.computed['kept'], 'true')}"
            case StepKind.COPY:
                return f"|> SELECT * EXCEPT (tag), explode({by_tag(self.computed['tag'], 'array(tag)')}) AS tag"
            case StepKind.EXPLODE:
                ((item, items),) = self.computed.items()
                return f"|> SELECT *, explode({items[ALL]}) AS `{item}`"
            case StepKind.PUT:
                return select(
                    columns,
                    {
                        name: by_tag(sql, f"`{name}`" if name in carried else "null")
                        for name, sql in self.computed.items()
                    },
                )


@dataclass(frozen=True)
class Steps:
    """Steps in their order, and the columns that there are before them."""

    given: tuple[str, ...]
    carried: tuple[str, ...]
    steps: tuple[Step, ...] = ()

    def then(self, step: Step, after: int) -> tuple[Steps, int]:
        """Steps with another one behind the step of that number, and its number."""
        for number in range(after + 1, len(self.steps)):
            if self.steps[number].takes(step):
                joined = self.steps[number].plus(step)
                return replace(self, steps=(*self.steps[:number], joined, *self.steps[number + 1 :])), number
        return replace(self, steps=(*self.steps, step)), len(self.steps)

    @property
    def last(self) -> int:
        """The number of the last one."""
        return len(self.steps) - 1

    def texts(self, wanted: Collection[str]) -> Iterator[str]:
        """The text of each step; `wanted` are the columns that are read behind the last one."""
        there = dict.fromkeys([*self.carried, *self.given])
        for number, step in enumerate(self.steps):
            if step.kind in (StepKind.PUT, StepKind.EXPLODE):
                there |= dict.fromkeys(step.computed)
            read = {*self.carried, *wanted}.union(*(later.reads for later in self.steps[number + 1 :]))
            there = {name: None for name in there if name in read or step.kind is not StepKind.PUT}
            yield step.sql(list(there), self.carried)


def by_tag(sql: ByTag, otherwise: str) -> str:
    """SQL that picks by the tag of the row."""
    if ALL in sql:
        return sql[ALL]
    if len(sql) == 1:
        ((tag, then),) = sql.items()
        return f"if(tag = {tag}, {then}, {otherwise})"
    cases = " ".join(f"WHEN {tag} THEN {then}" for tag, then in sql.items())
    return f"CASE tag {cases} ELSE {otherwise} END"


def select(names: Sequence[str], computed: Mapping[str, str]) -> str:
    """A step that gives columns of these names, some of them computed."""
    columns = [f"{computed[name]} AS `{name}`" if name in computed else f"`{name}`" for name in names]
    return f"|> SELECT {', '.join(columns)}"
