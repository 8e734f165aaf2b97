"""Nodes of all joins, and what the methods of streams and tables share to make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.build.functions import bound_on
from headrace.build.join_chain import Chained, Gather, Spread
from headrace.build.join_keys import On, key_into
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound, Expr
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.model.types import EnumType, Type
from headrace.model.windows import JoinWindows
from headrace.plan.nodes import (
    Emit,
    ForeignKeyJoin,
    ForeignKeyMatch,
    ForeignKeySubscribe,
    GlobalTable,
    JoinSide,
    Node,
    StreamGlobalJoin,
    StreamJoin,
    StreamTableJoin,
    TableJoin,
    VersionedTable,
)
from headrace.plan.nodes.stream_join import SIDES

if TYPE_CHECKING:
    from headrace.build.declared import Declared

LEFT_RIGHT = ("left", "right")
KEY_LEFT_RIGHT = ("key", "left", "right")

Joiner = Callable[..., Any] | Expr

OPS = {JoinSide.INNER: "join", JoinSide.LEFT: "left_join", JoinSide.OUTER: "outer_join"}


def joiner_of(op: str, joiner: Joiner | Chained, left: Node, right: Node, here: str) -> Bound:
    """A function of both values, or of the key and both values."""
    if isinstance(joiner, Gather | Spread):
        return joiner.bound(op, left, right, here)
    symbols = {
        "key": left.output().key.type,
        "left": left.output().value.type,
        "right": right.output().value.type,
    }
    return bound_on(op, joiner, (LEFT_RIGHT, KEY_LEFT_RIGHT), symbols, here)


def same_keys(left: Node, right: Node, here: str) -> None:
    """Raise if the two sides have keys of different types, or of different windows: they would never meet."""
    mine, theirs = left.output().key, right.output().key
    mine.store_serde(here)  # raises if the key has no bytes to be found by
    if not mine.meets(theirs):
        fix = _to_one(mine.type, theirs.type)
        raise TypesDiffer("the joined sides have keys of two types", mine, theirs, here, fix=fix)


def _to_one(mine: Type, theirs: Type) -> str:
    """Conversions by which keys of two types become keys of one."""
    for one, other in ((mine, theirs), (theirs, mine)):
        if isinstance(one, EnumType) and one.of_values == other:
            by_hand = ".select_key(lambda key, value: key.value), for a table between .to_stream() and .to_table()"
            return f"join by the value of {one}: {by_hand}"
    return "bring both to one type, or join on=..."


def table_join(
    declared: Declared,
    left: Node,
    right: Node,
    joiner: Joiner | Chained,
    side: JoinSide,
    store: str | None,
    emit: str | None,
    name: str | None,
    here: str,
) -> Node:
    """A join of two tables by key."""
    op = OPS[side]
    same_keys(left, right, here)
    node = TableJoin(
        name=declared.unique(name, f"{left.name}.{op}", here),
        origin=here,
        left=left,
        right=right,
        joiner=joiner_of(op, joiner, left, right, here),
        side=side,
        settles=declared.emit is Emit.SETTLED,
        **declared.kept(store, emit, here),
    )
    return declared.add(node)


def foreign_key_join(
    declared: Declared,
    left: Node,
    right: Node,
    on: On,
    joiner: Joiner | Chained,
    side: JoinSide,
    store: str | None,
    emit: str | None,
    name: str | None,
    here: str,
    inner: bool = False,
) -> Node:
    """A join of two tables by a key that a function finds in the rows of the left."""
    op = OPS[side]
    if side is JoinSide.OUTER:
        raise OptionInvalid("on", on, "none: an outer join of tables goes by their keys", here)
    key = key_into(op, left, right, on, here, inner)
    for one in (left, right):
        one.output().key.store_serde(here)  # raises if a key has no bytes to be found by
    path, keep_all = declared.unique(name, f"{left.name}.{op}", here), side is JoinSide.LEFT
    steps = [declared.unique(name and f"{name}.{step}", f"{path}.{step}", here) for step in ("subscribe", "match")]
    given = store or name
    subscribers = declared.store_name(
        given and f"{given}.subscribers", f"{left.name}.{op}-{right.name}.subscribers", here
    )
    subscribe = ForeignKeySubscribe(
        name=steps[0], origin=here, upstream=left, on=key, foreign=right.output().key, keep_all=keep_all
    )
    match = ForeignKeyMatch(
        name=steps[1],
        origin=here,
        subscriptions=declared.add(subscribe),
        table=right,
        left=left.output(),
        store=subscribers,
    )
    node = ForeignKeyJoin(
        name=path,
        origin=here,
        answers=declared.add(match),
        left=left,
        joiner=joiner_of(op, joiner, left, right, here),
        keep_all=keep_all,
        **declared.kept(store, emit, here),
    )
    return declared.add(node)


def stream_join(
    declared: Declared,
    left: Node,
    right: Node,
    joiner: Joiner | Chained,
    windows: JoinWindows | None,
    side: JoinSide,
    store: str | None,
    name: str | None,
    here: str,
) -> Node:
    """A join of two streams by key, within windows."""
    op = OPS[side]
    if not isinstance(windows, JoinWindows):
        wanted = 'hr.join_windows("10s"): two streams are joined within some time'
        raise OptionInvalid("windows", windows, wanted, here)
    same_keys(left, right, here)
    kept = declared.store_name(store, name or f"{left.name}.{op}-{right.name}", here, SIDES)
    node = StreamJoin(
        name=declared.unique(name, f"{left.name}.{op}", here),
        origin=here,
        left=left,
        right=right,
        joiner=joiner_of(op, joiner, left, right, here),
        windows=windows,
        side=side,
        store=kept,
    )
    return declared.add(node)


def stream_table_join(
    declared: Declared,
    stream: Node,
    table: Node,
    joiner: Joiner | Chained,
    keep_all: bool,
    grace: Duration | None,
    name: str | None,
    here: str,
) -> Node:
    """A join of a stream with a table by key."""
    op = "left_join" if keep_all else "join"
    same_keys(stream, table, here)
    grace_ms = None if grace is None else duration_ms("grace", grace, here)
    if grace_ms is not None:
        history = _history(table)
        if history is None:
            raise OptionInvalid("grace", grace, "it with a versioned table only: app.versioned_table(...)", here)
        if grace_ms > history:
            raise OptionInvalid("grace", grace, f"no more than the table's history, {duration_text(history)}", here)
    return declared.add(
        StreamTableJoin(
            name=declared.unique(name, f"{stream.name}.{op}", here),
            origin=here,
            stream=stream,
            table=table,
            joiner=joiner_of(op, joiner, stream, table, here),
            keep_all=keep_all,
            grace_ms=grace_ms,
        )
    )


def _history(table: Node) -> int | None:
    """How far back a table knows its rows, itself or the one it is computed from; None if it is not versioned."""
    if isinstance(table, VersionedTable):
        return table.history_ms
    return _history(table.inputs[0]) if table.versioned else None


def stream_global_join(
    declared: Declared,
    stream: Node,
    table: GlobalTable,
    on: On | None,
    joiner: Joiner | Chained,
    keep_all: bool,
    name: str | None,
    here: str,
    inner: bool = False,
) -> Node:
    """A join of a stream with a global table, by a key that a function names."""
    op = "left_join" if keep_all else "join"
    if on is None:
        raise OptionInvalid("on", on, "the key to look up: on=lambda key, value: ...", here)
    key = key_into(op, stream, table, on, here, inner, "the key to look up")
    return declared.add(
        StreamGlobalJoin(
            name=declared.unique(name, f"{stream.name}.{op}", here),
            origin=here,
            stream=stream,
            table=table,
            on=key,
            joiner=joiner_of(op, joiner, stream, table, here),
            keep_all=keep_all,
        )
    )
