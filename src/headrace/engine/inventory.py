"""State inventory: what an application keeps in a checkpoint, in words, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from headrace.engine.kept_classes import Shapes, lost_classes
from headrace.model.types import Type
from headrace.plan.nodes import Node, Repartition, Source
from headrace.plan.schema import Schema
from headrace.plan.stores import Store

Account = dict[str, str]
"""Of one store: by which operator, of which keys and values, which task owns a key, how long it lasts, and its lane.

Older checkpoints do not tell the lane.
"""

Stages = list[dict[str, Account]]
"""The stores of each stage by their names, and what operators hold back."""

Lanes = dict[str, list[str]]
"""The lanes of each stage, and of the one that finds times: each has a state of its own in Spark's checkpoint.

There are none in older checkpoints, which do not tell what is held back, either.
"""

TIMES = "times"
IN_KERNEL, IN_PYTHON = "kernel", "python"
_HELD = "what "
_LANES = {IN_KERNEL: "the kernel", IN_PYTHON: "Python"}
_WORDS = {
    "op": "operator",
    "keys": "key type",
    "values": "value type",
    "tasks": "rule for the task of a key",
    "time": "time",
}


@dataclass(frozen=True)
class StateInventory:
    """State inventory of the stages of an application."""

    stages: Stages
    lanes: Lanes = field(default_factory=dict)
    classes: Shapes = field(default_factory=dict)
    """Of the values that Python processes keep."""

    pickled: bool = False
    """Whether Python processes have pickled all that they keep, as earlier versions did."""

    @property
    def in_python(self) -> bool:
        """Whether Python processes keep something."""
        return any(IN_PYTHON in one for one in self.lanes.values())


@dataclass(frozen=True)
class Evolution:
    """Evolution of the stores of a checkpoint, when a changed application goes on from it."""

    kept: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    only_stages: bool = False
    """Whether nothing has changed but the number of stages, and so in which of them stores are."""

    pickled: bool = False
    """Whether state is pickled, and must not be."""

    other_lanes: bool = False
    """Whether something has come from the kernel to Python, or the other way."""

    @staticmethod
    def of(there: StateInventory, here: StateInventory) -> Evolution:
        """Compare two inventories; new stores fit as long as there are as many stages and lanes as before."""
        old, new, found = _placed(there), _placed(here), Evolution()
        if not there.lanes:
            new = {name: one for name, one in new.items() if not name.startswith(_HELD)}
        before, now, lanes = len(there.stages), len(here.stages), list(_other_lanes(there.lanes, here.lanes))
        if before != now:
            found.changed.append(f"it keeps state in {_stages(now)}, it was kept in {_stages(before)}")
        else:
            found.changed.extend(lanes)
        for name, (stages, account) in old.items():
            if name not in new:
                found.lost.append(_called(name))
            elif changes := list(_changes(name, stages, account, new[name])):
                found.changed.extend(changes)
            else:
                found.kept.append(_called(name))
        if there.pickled and not here.pickled and there.in_python:
            found.changed.append("an earlier version of headrace has pickled the state of Python processes, unsigned")
        found.changed.extend(lost_classes(there.classes, here.classes))
        found.added.extend(_called(name) for name in new if name not in old)
        parts = {name: _differing(account, new[name][1]) for name, (_, account) in old.items() if name in new}
        return replace(
            found,
            only_stages=before != now and parts.keys() == old.keys() and not any(parts.values()),
            pickled=there.pickled and not here.pickled,
            other_lanes=(before == now and bool(lanes)) or any("lane" in one for one in parts.values()),
        )

    @property
    def misfits(self) -> list[str]:
        """Why the application cannot go on with its state; nothing if it can."""
        return self.changed + [
            f"{one} would be lost: its operator is gone" if one.startswith(_HELD) else f"{one} is not there any more"
            for one in self.lost
        ]

    @property
    def hint(self) -> str:
        """Hint before anything that helps with all misfits; empty for most of them."""
        told = ""
        if self.only_stages:
            told = "on_error, .errors() or Python in front of a store may be a stage more, see headrace explain: "
        elif self.other_lanes:
            told = "headrace explain tells what runs in Python, and why: "
        elif self.pickled:
            told = 'App(pickled_state="trust") reads it, if nobody else could write the checkpoint; or '
        if any(one.startswith(_HELD) for one in self.lost):
            told += "give what holds something back its old name with name=; or "
        return told


def _changes(name: str, stages: list[int], account: Account, now: tuple[list[int], Account]) -> Iterator[str]:
    called = _called(name)
    if not set(now[0]) <= set(stages):
        is_in, was_in = (" and ".join(map(str, one)) for one in (now[0], stages))
        yield f"{called} is in stage {is_in}, it was in stage {was_in}"
    for part in _differing(account, now[1]):
        if part == "lane":
            yield f"{called} is kept in {_LANES[now[1][part]]}, it was kept in {_LANES[account[part]]}"
        else:
            yield f"the {_WORDS[part]} of {called} is {now[1][part] or 'none'}, it was {account[part] or 'none'}"


def _differing(account: Account, now: Account) -> list[str]:
    return [part for part in now if account.get(part, now[part]) != now[part]]


def _other_lanes(there: Lanes, here: Lanes) -> Iterator[str]:
    """The stages that run in more lanes than before, or in fewer: Spark would not find their state."""
    for stage, lanes in there.items():
        now = here.get(stage, [])
        if len(lanes) != len(now):
            called = "the stage that finds the times of records" if stage == TIMES else f"stage {stage}"
            runs, ran = (f"{word} in {_both(one)}" if one else "" for word, one in (("runs", now), ("ran", lanes)))
            yield f"{called} {runs or 'is not there'}, it {ran or 'was not there'}"


def _both(lanes: list[str]) -> str:
    return " and ".join(_LANES[lane] for lane in lanes)


def _called(name: str) -> str:
    return name if name.startswith(_HELD) else f"store {name!r}"


def _placed(found: StateInventory) -> dict[str, tuple[list[int], Account]]:
    """Stores with the stages that they are in: a global one is in each that looks something up there."""
    placed: dict[str, tuple[list[int], Account]] = {}
    for number, stage in enumerate(found.stages, 1):
        for name, account in stage.items():
            placed.setdefault(name, ([], account))[0].append(number)
    return placed


def _stages(count: int) -> str:
    return {0: "no stage", 1: "1 stage"}.get(count, f"{count} stages")


def accounts_of(node: Node, lane: str) -> Iterator[tuple[str, Account]]:
    """Accounts of what a node keeps in stores and holds back."""
    given = [node.output()] if node.facts.table else [upstream.output() for upstream in node.inputs]
    for store in node.kept_stores:
        yield store, _account(node, given, node.lasts, lane)
    if node.holds_back:
        yield f"{_HELD}{node.name!r} holds back", _account(node, node.given(), (), lane)
    own = (one.store for one in node.connections if not (one.read_only or one.everywhere))
    yield from ((store.name, _account_of(store, _way(node), lane)) for store in own)


def _account(node: Node, given: Iterable[Schema], lasts: Iterable[str], lane: str) -> Account:
    return {
        "op": node.op,
        "keys": _type(node.output().key.type),
        "values": " and ".join(_type(schema.value.type) for schema in given),
        "tasks": _way(node),
        "time": ", ".join(lasts),
        "lane": lane,
    }


def _account_of(store: Store[Any], way: str, lane: str) -> Account:
    """Account of a store that processors ask for."""
    marks = [mark for mark in ("timestamped", "duplicates") if getattr(store, mark, False)]
    return {
        "op": " ".join([*marks, store.kind]),
        "keys": str(store.key),
        "values": str(store.value),
        "tasks": way,
        "time": ", ".join(store.lasts),
        "lane": lane,
    }


def _type(type_: Type) -> str:
    """A type by its name; of a record also its fields, which may change without it."""
    return f"{type_} {type_.sql}" if "struct<" in type_.sql else str(type_)


def _way(node: Node) -> str:
    """Rule by which a key finds its task. If that changes, state is in the wrong place."""
    if isinstance(node, Repartition):
        into = f" into {node.partitions}" if node.partitions else ""
        return (f"partition {node.partitioner}" if node.partitioner else "hash") + into
    if isinstance(node, Source):
        return f"source {node.name}"
    return " and ".join(sorted({_way(upstream) for upstream in node.inputs}))
