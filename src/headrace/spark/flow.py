"""Rows between the source, the stages and the sink, as steps of SQL.

All streams travel in one DataFrame, so that the source is read once however the topology forks. A row is on the edge
that its `tag` stands for; each edge has a key and a value column, empty in the rows of other edges. Several steps are
handed to Spark as one text: one analysis of ten steps is quicker than ten of one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession

NOWHERE = "cast(null as string)"

CARRIED = ("tag", "group", "ts", "turn", "queue", "topic", "headers", "source", "offset", "old", "latest")
"""What every row has: its edge, its task, its time, when and where it waits, the topic chosen for it, its headers,
where it was read, and of a change of a table its old value and whether it is the latest."""

HEADERS = "array<struct<key:string,value:binary>>"

# The analyser resolves about one step of a text in each of its rounds over all of it.
_STEPS_AT_ONCE = 10


@dataclass(frozen=True)
class Columns:
    """Where the rows of an edge have their key and their value, and the tag they are known by."""

    tag: int
    key: str
    value: str


@dataclass(frozen=True)
class Flow:
    """Rows on several edges at once.

    Beside the columns of the edges every row has the `carried` ones, among them `tag` and `group`, the task it is for.
    `where` is SQL for the topic-partition@offset of the record a row comes from, as long as that is known.
    """

    session: SparkSession
    steps: tuple[str, ...]
    carried: tuple[str, ...]
    edges: Mapping[int, Columns]
    where: str = NOWHERE
    taken: int = 0
    """How many steps were taken, to tell columns apart."""

    @staticmethod
    def of(rows: DataFrame, carried: Sequence[str], edges: Mapping[int, Columns], where: str = NOWHERE) -> Flow:
        """Rows with columns of these names."""
        return Flow(rows.sparkSession, (_from(rows),), tuple(carried), edges, where)

    def dataframe(self, columns: Mapping[str, str]) -> DataFrame:
        """Chosen columns of the rows, each with its SQL."""
        return self.session.sql("\n".join([*self.steps, _select(columns, columns)]))

    def on(self, edge: int, then: str, otherwise: str) -> str:
        """SQL that is `then` for the rows of an edge and `otherwise` for all others."""
        return then if list(self.edges) == [edge] else f"if(tag = {self.edges[edge].tag}, {then}, {otherwise})"

    def keep(self, edge: int, condition: str) -> Flow:
        """Drop the rows of an edge for which the condition is not true."""
        return self._with(f"|> WHERE {self.on(edge, condition, 'true')}")

    def put(self, edge: int, *, key: str | None = None, value: str | None = None, **carried: str) -> Flow:
        """Give the rows of an edge new keys, values or carried columns."""
        columns = self.edges[edge]
        computed = {name: self.on(edge, sql, f"`{name}`") for name, sql in carried.items()}
        if key is not None:
            columns = replace(columns, key=self._fresh("k"))
            computed[columns.key] = self.on(edge, key, "null")
        if value is not None:
            columns = replace(columns, value=self._fresh("v"))
            computed[columns.value] = self.on(edge, value, "null")
        return self._project({**self.edges, edge: columns}, computed)

    def keep_all(self, condition: str) -> Flow:
        """Drop the rows of whatever edge for which the condition is not true."""
        return self._with(f"|> WHERE {condition}")

    def put_all(self, **carried: str) -> Flow:
        """Give the rows of all edges new carried columns."""
        return self._project(self.edges, carried)

    def always(self, edge: int, *, key: bool = False, value: bool = False) -> Flow:
        """Have the key or the value computed even if nobody reads it: it may fail."""
        columns = self.edges[edge]
        computed = [f"hr_ran(`{columns.key}`)"] * key + [f"hr_ran(`{columns.value}`)"] * value
        return self.keep(edge, " AND ".join(computed)) if computed else self

    def compute(self, edge: int, sql: str) -> tuple[Flow, str]:
        """Something about the rows of an edge, in the column that is returned with the flow."""
        column = self._fresh("c")
        return self._with(f"|> EXTEND {self.on(edge, sql, 'null')} AS `{column}`"), f"`{column}`"

    def explode(self, edge: int, items: str, element: str) -> tuple[Flow, str]:
        """One row for each item of a list, in order; the item is in the column that is returned with the flow."""
        item = self._fresh("i")
        items = self.on(edge, items, f"array(cast(null as {element}))")
        return self._with(f"|> SELECT *, explode({items}) AS `{item}`"), f"`{item}`"

    def send(self, edge: int, targets: Sequence[int]) -> Flow:
        """Move the rows of an edge to other edges: a copy on each. Without targets they are dropped."""
        if len(targets) == 1:
            return self._moved((edge,), {targets[0]: self.edges[edge]})
        copies = {target: replace(self.edges[edge], tag=target) for target in targets}
        tags = ", ".join(map(str, copies))
        every = self.on(edge, f"array({tags})" if copies else "cast(array() as array<int>)", "array(tag)")
        return self._with(f"|> SELECT * EXCEPT (tag), explode({every}) AS tag")._moved((edge,), copies)

    def choose(self, edge: int, conditions: Sequence[str], targets: Mapping[int, int], default: int | None) -> Flow:
        """Move each row of an edge to the target of the first condition that is true, or else to the default.

        A condition without a target drops its rows.
        """
        ways = [(condition, targets.get(position)) for position, condition in enumerate(conditions)]
        cases = " ".join(f"WHEN {condition} THEN {_tag(target)}" for condition, target in ways)
        chosen = self.on(edge, f"CASE {cases} ELSE {_tag(default)} END", "tag")
        reached = [*targets.values(), *([] if default is None else [default])]
        copies = {target: replace(self.edges[edge], tag=target) for target in reached}
        return self._project(self.edges, {"tag": chosen})._with("|> WHERE tag IS NOT NULL")._moved((edge,), copies)

    def join(self, edges: Sequence[int], target: int) -> Flow:
        """Move the rows of several edges to one."""
        joined = Columns(target, self._fresh("k"), self._fresh("v"))
        members = ", ".join(str(self.edges[edge].tag) for edge in edges)
        computed = {
            "tag": f"if(tag IN ({members}), {target}, tag)",
            joined.key: case({self.edges[edge].tag: f"`{self.edges[edge].key}`" for edge in edges}),
            joined.value: case({self.edges[edge].tag: f"`{self.edges[edge].value}`" for edge in edges}),
        }
        rest = {edge: columns for edge, columns in self.edges.items() if edge not in edges}
        return self._project({**rest, target: joined}, computed)

    def _with(self, step: str) -> Flow:
        steps = (*self.steps, step)
        if len(steps) > _STEPS_AT_ONCE:
            steps = (_from(self.session.sql("\n".join(steps))),)
        return replace(self, steps=steps, taken=self.taken + 1)

    def _project(self, edges: Mapping[int, Columns], computed: Mapping[str, str]) -> Flow:
        """A step that keeps what the edges need, and computes the rest."""
        needed = dict.fromkeys([*self.carried, *(name for one in edges.values() for name in (one.key, one.value))])
        return replace(self._with(_select(needed, computed)), edges=edges)

    def _moved(self, edges: Iterable[int], targets: Mapping[int, Columns]) -> Flow:
        rest = {edge: columns for edge, columns in self.edges.items() if edge not in edges}
        return replace(self, edges={**rest, **targets})

    def _fresh(self, prefix: str) -> str:
        return f"{prefix}{self.taken}"


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


def _select(names: Iterable[str], computed: Mapping[str, str]) -> str:
    columns = [f"{computed[name]} AS `{name}`" if name in computed else f"`{name}`" for name in names]
    return f"|> SELECT {', '.join(columns)}"


def _tag(number: int | None) -> str:
    return "CAST(NULL AS INT)" if number is None else str(number)
