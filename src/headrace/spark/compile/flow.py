"""Row flow between the source, the stages and the sink, as steps of SQL.

All streams travel in one DataFrame, so that the source is read once however the topology forks. A row is on the edge
that its `tag` stands for; each edge has a key and a value column, empty in the rows of other edges. Several steps are
handed to Spark as one text: one analysis of ten steps is quicker than ten of one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession

from headrace.spark.compile.steps import ALL, ByTag, Step, StepKind, Steps, by_tag, select

NOWHERE = "cast(null as string)"

CARRIED = ("tag", "group", "ts", "turn", "queue", "topic", "headers", "source", "offset", "old", "latest")
"""What every row has: its edge, its task, its time, when and where it waits, the topic chosen for it, its headers,
where it was read, and of a change of a table its old value and whether it is the latest."""

HEADERS = "array<struct<key:string,value:binary>>"

STAGE_HEADERS = f"hr_unpack(`headers`, '{HEADERS}')"
"""SQL inside a stage, where the headers of a record are bytes."""

# The analyser resolves about one step of a text in each of its rounds over all of it.
_STEPS_AT_ONCE = 10

# The tag of rows that are dropped by the next step.
_DROPPED = -1


@dataclass(frozen=True)
class Columns:
    """Columns of an edge: the key, the value, and the tag that its rows are known by.

    `more` has what was computed of them and has not been put anywhere yet.
    """

    tag: int
    key: str
    value: str
    more: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Names of all columns."""
        return frozenset((self.key, self.value, *self.more))


@dataclass(frozen=True)
class Flow:
    """Rows on several edges at once.

    Beside the columns of the edges every row has the `carried` ones, among them `tag` and `group`, the task it is for.
    `where` is SQL for the topic-partition@offset of the record a row comes from, as long as that is known.
    """

    rows: DataFrame
    carried: tuple[str, ...]
    edges: Mapping[int, Columns]
    where: str
    steps: Steps
    behind: Mapping[int, int]
    """The number of the last step of each edge."""
    taken: int = 0
    """How many things were done, to tell columns apart."""

    @staticmethod
    def of(rows: DataFrame, carried: Sequence[str], edges: Mapping[int, Columns], where: str = NOWHERE) -> Flow:
        """Rows with columns of these names."""
        given = dict.fromkeys(name for columns in edges.values() for name in (columns.key, columns.value))
        steps = Steps(tuple(given), tuple(carried))
        return Flow(rows, tuple(carried), edges, where, steps, dict.fromkeys(edges, steps.last))

    @property
    def session(self) -> SparkSession:
        """Session of the rows."""
        return self.rows.sparkSession

    def dataframe(self, columns: Mapping[str, str]) -> DataFrame:
        """Chosen columns of the rows, each with its SQL."""
        wanted = frozenset[str]().union(*(one.names for one in self.edges.values()))
        texts, rows = [*self.steps.texts(wanted), select(list(columns), columns)], self.rows
        for first in range(0, len(texts), _STEPS_AT_ONCE):
            rows = self.session.sql("\n".join([_from(rows), *texts[first : first + _STEPS_AT_ONCE]]))
        return rows

    def keep(self, edge: int, condition: str) -> Flow:
        """Drop the rows of an edge for which the condition is not true."""
        return self._step(StepKind.KEEP, [edge], {"kept": {self._tag(edge): condition}})

    def put(self, edge: int, *, key: str | None = None, value: str | None = None, **carried: str) -> Flow:
        """Give the rows of an edge new keys, values or carried columns."""
        columns, computed = replace(self.edges[edge], more=()), dict(carried)
        if key is not None:
            columns = replace(columns, key=self._fresh("k"))
            computed[columns.key] = key
        if value is not None:
            columns = replace(columns, value=self._fresh("v"))
            computed[columns.value] = value
        put = self._step(StepKind.PUT, [edge], {name: {self._tag(edge): sql} for name, sql in computed.items()})
        return replace(put, edges={**self.edges, edge: columns})

    def keep_all(self, condition: str) -> Flow:
        """Drop the rows of whatever edge for which the condition is not true."""
        return self._step(StepKind.KEEP, self.edges, {"kept": {ALL: condition}})

    def put_all(self, **carried: str) -> Flow:
        """Give the rows of all edges new carried columns."""
        return self._step(StepKind.PUT, self.edges, {name: {ALL: sql} for name, sql in carried.items()})

    def always(self, edge: int, *, key: bool = False, value: bool = False) -> Flow:
        """Have the key or the value computed even if nobody reads it: it may fail."""
        columns = self.edges[edge]
        computed = [f"hr_ran(`{columns.key}`)"] * key + [f"hr_ran(`{columns.value}`)"] * value
        return self.keep(edge, " AND ".join(computed)) if computed else self

    def compute(self, edge: int, sql: str) -> tuple[Flow, str]:
        """Compute a column from the rows of an edge; its name is returned with the flow."""
        return self._more(StepKind.PUT, edge, self._fresh("c"), {self._tag(edge): sql})

    def explode(self, edge: int, items: str, element: str) -> tuple[Flow, str]:
        """Explode a list into one row for each item, in order; the item's column is returned with the flow."""
        every = by_tag({self._tag(edge): items}, f"array(cast(null as {element}))")
        return self._more(StepKind.EXPLODE, edge, self._fresh("i"), {ALL: every})

    def send(self, edge: int, targets: Sequence[int]) -> Flow:
        """Move the rows of an edge to other edges: a copy on each. Without targets they are dropped."""
        if len(targets) == 1:
            return self._moved([edge], {targets[0]: self.edges[edge]})
        tags = f"array({', '.join(map(str, targets))})" if targets else "cast(array() as array<int>)"
        copied = self._step(StepKind.COPY, [edge], {"tag": {self._tag(edge): tags}})
        return copied._moved([edge], _tagged(self.edges[edge], targets))

    def choose(self, edge: int, conditions: Sequence[str], targets: Mapping[int, int], default: int | None) -> Flow:
        """Move each row of an edge to the target of the first condition that is true, or else to the default.

        A condition without a target drops its rows.
        """
        ways = [targets.get(position, _DROPPED) for position in range(len(conditions))]
        cases = " ".join(f"WHEN {condition} THEN {tag}" for condition, tag in zip(conditions, ways, strict=True))
        last = _DROPPED if default is None else default
        chosen = self._step(StepKind.PUT, [edge], {"tag": {self._tag(edge): f"CASE {cases} ELSE {last} END"}})
        if _DROPPED in (*ways, last):
            chosen = chosen._step(StepKind.KEEP, [edge], {"kept": {_DROPPED: "false"}})
        return chosen._moved([edge], _tagged(self.edges[edge], [tag for tag in (*ways, last) if tag != _DROPPED]))

    def join(self, edges: Sequence[int], target: int) -> Flow:
        """Move the rows of several edges to one."""
        joined = Columns(target, self._fresh("k"), self._fresh("v"))
        members = [self.edges[edge] for edge in edges]
        computed: dict[str, ByTag] = {
            "tag": {one.tag: str(target) for one in members},
            joined.key: {one.tag: f"`{one.key}`" for one in members},
            joined.value: {one.tag: f"`{one.value}`" for one in members},
        }
        return self._step(StepKind.PUT, edges, computed)._moved(edges, {target: joined})

    def _step(self, kind: StepKind, edges: Iterable[int], computed: Mapping[str, ByTag]) -> Flow:
        """Add a step to the rows of some edges, behind all of their steps before."""
        chosen = list(edges)
        reads = frozenset[str]().union(*(self.edges[edge].names for edge in chosen))
        for_all = any(ALL in sql for sql in computed.values())
        after = self.steps.last if for_all else max(self.behind[edge] for edge in chosen)
        steps, number = self.steps.then(Step(kind, computed, reads), after)
        return replace(self, steps=steps, behind={**self.behind, **dict.fromkeys(chosen, number)}, taken=self.taken + 1)

    def _more(self, kind: StepKind, edge: int, column: str, sql: ByTag) -> tuple[Flow, str]:
        columns = self.edges[edge]
        edges = {**self.edges, edge: replace(columns, more=(*columns.more, column))}
        return replace(self._step(kind, [edge], {column: sql}), edges=edges), f"`{column}`"

    def _moved(self, edges: Sequence[int], targets: Mapping[int, Columns]) -> Flow:
        """Flow with other edges in the place of some; their rows had all of their steps."""
        number = max(self.behind[edge] for edge in edges)
        rest = {edge: columns for edge, columns in self.edges.items() if edge not in edges}
        fresh = {edge: replace(columns, more=()) for edge, columns in targets.items()}
        return replace(self, edges={**rest, **fresh}, behind={**self.behind, **dict.fromkeys(fresh, number)})

    def _tag(self, edge: int) -> int | None:
        """Tag that tells the rows of an edge from others, if there are others."""
        return ALL if list(self.edges) == [edge] else self.edges[edge].tag

    def _fresh(self, prefix: str) -> str:
        return f"{prefix}{self.taken}"


def _tagged(columns: Columns, targets: Iterable[int]) -> dict[int, Columns]:
    return {target: replace(columns, tag=target) for target in targets}


def _from(rows: DataFrame) -> str:
    view = f"rows_{uuid.uuid4().hex}"
    rows.createTempView(view)
    return f"FROM {view}"


def case(by_tag: Mapping[int, str]) -> str:
    """SQL that picks by the tag of the row."""
    if len(set(by_tag.values())) == 1:
        return next(iter(by_tag.values()))
    cases = " ".join(f"WHEN {tag} THEN {sql}" for tag, sql in by_tag.items())
    return f"CASE tag {cases} END"
