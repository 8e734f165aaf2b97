"""Side outputs of streams and tables: what `late`, `errors` and `expired` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.errors import NothingBeside
from headrace.expr.tuples import Given
from headrace.plan.failing import has_function
from headrace.plan.nodes import (
    Branch,
    Errors,
    Expired,
    ForeignKeyJoin,
    ForeignKeyMatch,
    Late,
    Node,
    Source,
    StreamJoin,
    TableAggregate,
    TableReduce,
    WindowedCogroup,
)
from headrace.plan.nodes.side_outputs import SideOutputNode
from headrace.plan.nodes.windowed import WindowedAggregation

if TYPE_CHECKING:
    from headrace.build.declared import Declared


def late(declared: Declared, node: Node, name: str | None, here: str) -> Node:
    """The records that an operator drops because they come too late."""
    parts = tuple(part for part in _parts(node) if part.drops_late)
    if not parts:
        raise NothingBeside("late", node.name, "drops no records because they are late", _LATE, here)
    return _side_output(declared, Late, node, parts, name, here)


def errors(declared: Declared, node: Node, name: str | None, here: str) -> Node:
    """The records that an operator fails on: its functions, or the serdes of a source."""
    return _side_output(declared, Errors, node, failing_parts(node, "errors", here), name, here)


def failing_parts(node: Node, asked: str, here: str) -> tuple[Node, ...]:
    """The parts of an operator that may fail on a record."""
    if isinstance(node, TableAggregate | TableReduce):
        raise NothingBeside(asked, node.name, "would take out of a group later what it could not add", _ROWS, here)
    parts = tuple(part for part in _parts(node) if isinstance(part, Source) or has_function(part))
    if not parts:
        raise NothingBeside(asked, node.name, "has no function that could fail", _ERRORS, here)
    return parts


def expired(declared: Declared, node: Node, name: str | None, here: str) -> Node:
    """The windows that an operator forgets."""
    parts = tuple(part for part in _parts(node) if isinstance(part, WindowedAggregation))
    if not parts:
        raise NothingBeside("expired", node.name, "has no windows", _EXPIRED, here)
    return _side_output(declared, Expired, node, parts, name, here)


def _side_output(
    declared: Declared, kind: type[SideOutputNode], node: Node, parts: tuple[Node, ...], name: str | None, here: str
) -> Node:
    unique = declared.unique(name, f"{node.name}.{kind.op}", here)
    return declared.add(kind(name=unique, origin=here, of=parts))


def _parts(node: Node) -> tuple[Node, ...]:
    """The nodes that do the work of one the user has made, as far as they share its task."""
    if isinstance(node, WindowedCogroup):
        return node.parts
    if isinstance(node, Branch):
        return (node.upstream,)
    if isinstance(node, ForeignKeyJoin) and isinstance(node.answers, ForeignKeyMatch):
        return (node, node.answers.subscriptions)
    if isinstance(node, StreamJoin) and isinstance(node.joiner, Given):
        return (*_joins_before(node, len(node.joiner.symbols) - 3), node)
    return (node,)


def _joins_before(node: StreamJoin, most: int) -> tuple[Node, ...]:
    """The joins of a join of many that come before its last one, in order."""
    if most == 0 or not isinstance(node.left, StreamJoin):
        return ()
    return (*_joins_before(node.left, most - 1), node.left)


_LATE = "use it right behind a windowed aggregation, a join of two streams, a versioned table, ttl= or drop_duplicates"
_ERRORS = "use it right behind the operator with the function; of group_by, write select_key(...) and group_by_key()"
_ROWS = "compute what may fail in map_values(...) of the table, in front of group_by, and use errors() there"
_EXPIRED = "use it right behind windowed_by(...) and its aggregation"
