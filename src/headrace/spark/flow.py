"""Rows between the source, the stages and the sink.

All streams travel in one DataFrame, so that the source is read once however the topology forks. A row is on the edge
its `tag` names; each edge has a key and a value column, empty in the rows of other edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

NOWHERE = "cast(null as string)"


@dataclass(frozen=True)
class Columns:
    """The columns that hold the key and the value of the rows on an edge."""

    key: str
    value: str


@dataclass(frozen=True)
class Flow:
    """A DataFrame of rows on several edges at once.

    Beside the columns of the edges every row has `tag`, `group` (its task), `ts`, `queue`, `topic` and `headers`.
    `where` is SQL for the topic-partition@offset of the record a row comes from, as long as that is known.
    """

    df: DataFrame
    edges: Mapping[int, Columns]
    where: str = NOWHERE

    def on(self, edge: int, then: str, otherwise: str) -> str:
        """SQL that is `then` for the rows of an edge and `otherwise` for all others."""
        return then if list(self.edges) == [edge] else f"if(tag = {edge}, {then}, {otherwise})"

    def keep(self, edge: int, condition: str) -> Flow:
        """Drop the rows of an edge for which the condition is not true."""
        return replace(self, df=self.df.where(self.on(edge, condition, "true")))

    def put(self, edge: int, *, key: str | None = None, value: str | None = None, **others: str) -> Flow:
        """Give the rows of an edge new keys, values or other columns."""
        columns = self.edges[edge]
        added = {}
        if key is not None:
            columns = replace(columns, key=self._fresh("k", edge))
            added[columns.key] = F.expr(self.on(edge, key, "null"))
        if value is not None:
            columns = replace(columns, value=self._fresh("v", edge))
            added[columns.value] = F.expr(self.on(edge, value, "null"))
        for name, sql in others.items():
            added[name] = F.expr(self.on(edge, sql, f"`{name}`"))
        return replace(self, df=self.df.withColumns(added), edges={**self.edges, edge: columns})

    def explode(self, edge: int, items: str, element: str) -> tuple[Flow, str]:
        """One row for each item of a list, in order; the item is in the column that is returned with the flow."""
        column = self._fresh("e", edge)
        other_rows = f"array(cast(null as {element}))"
        exploded = self.df.select("*", F.explode(F.expr(self.on(edge, items, other_rows))).alias(column))
        return replace(self, df=exploded), column

    def send(self, edge: int, targets: Iterable[int]) -> Flow:
        """Move the rows of an edge to other edges: a copy on each. Without targets they are dropped."""
        targets = tuple(targets)
        if not targets:
            return self.keep(edge, "false")._moved(edge, ())
        if len(targets) == 1:
            moved = self.df.withColumn("tag", F.expr(self.on(edge, str(targets[0]), "tag")))
        else:
            copies = f"array({', '.join(map(str, targets))})"
            rest = [column for column in self.df.columns if column != "tag"]
            moved = self.df.select(*rest, F.explode(F.expr(self.on(edge, copies, "array(tag)"))).alias("tag"))
        return replace(self, df=moved)._moved(edge, targets)

    def choose(self, edge: int, conditions: Sequence[str], targets: Mapping[int, int], default: int | None) -> Flow:
        """Move each row of an edge to the target of the first condition that is true, or else to the default.

        A condition without a target drops its rows.
        """
        ways = [(condition, targets.get(position)) for position, condition in enumerate(conditions)]
        cases = " ".join(f"when {condition} then {_tag(target)}" for condition, target in ways)
        chosen = f"case {cases} else {_tag(default)} end"
        moved = self.df.withColumn("tag", F.expr(self.on(edge, chosen, "tag"))).where("tag is not null")
        reached = [*targets.values(), *([] if default is None else [default])]
        return replace(self, df=moved)._moved(edge, reached)

    def join(self, edges: tuple[int, ...], target: int) -> Flow:
        """Move the rows of several edges to one."""
        flow, columns = self, self.edges[edges[0]]
        if any(self.edges[edge] != columns for edge in edges):
            columns = Columns(self._fresh("k", target), self._fresh("v", target))
            flow = replace(
                self,
                df=self.df.withColumns(
                    {
                        columns.key: F.expr(case({edge: f"`{self.edges[edge].key}`" for edge in edges})),
                        columns.value: F.expr(case({edge: f"`{self.edges[edge].value}`" for edge in edges})),
                    }
                ),
            )
        members = ", ".join(map(str, edges))
        moved = flow.df.withColumn("tag", F.expr(f"if(tag in ({members}), {target}, tag)"))
        rest = {edge: kept for edge, kept in self.edges.items() if edge not in edges}
        return replace(flow, df=moved, edges={**rest, target: columns})

    def _moved(self, edge: int, targets: Iterable[int]) -> Flow:
        columns = self.edges[edge]
        rest = {other: kept for other, kept in self.edges.items() if other != edge}
        return replace(self, edges={**rest, **dict.fromkeys(targets, columns)})

    def _fresh(self, prefix: str, edge: int) -> str:
        name, again = f"{prefix}{edge}", 1
        while name in self.df.columns:
            name, again = f"{prefix}{edge}_{again}", again + 1
        return name


def case(by_tag: Mapping[int, str]) -> str:
    """SQL that picks by the tag of the row."""
    if len(set(by_tag.values())) == 1:
        return next(iter(by_tag.values()))
    cases = " ".join(f"when {tag} then {sql}" for tag, sql in by_tag.items())
    return f"case tag {cases} end"


def _tag(number: int | None) -> str:
    return "cast(null as int)" if number is None else str(number)
