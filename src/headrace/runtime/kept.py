"""What an application keeps in its checkpoint, in words, and how two such accounts differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

from headrace.model.durations import duration_text
from headrace.model.types import Type
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition, Source
from headrace.spark.placement import Placement, stores
from headrace.spark.timestamps import remembering

Account = dict[str, str]
"""Of one store: by which operator, of which keys and values, which task owns a key, and how long it lasts."""

Stages = list[dict[str, Account]]
"""The stores of each stage by their names."""

_WORDS = {
    "op": "operator",
    "keys": "key type",
    "values": "value type",
    "tasks": "rule for the task of a key",
    "time": "time",
}


def kept(plan: Plan) -> Stages:
    """The stages of a plan with all that is kept in them."""
    placement = Placement(plan)
    times: Stages = []
    if remembering(placement):
        account = {"op": "timestamps", "keys": "partitions", "values": "int", "tasks": "by partition", "time": ""}
        times.append({"partition times": account})
    return times + [
        {store: _account(node) for node in placement.stage(number) for store in stores(node)}
        for number in range(1, placement.stages + 1)
    ]


@dataclass(frozen=True)
class Evolution:
    """What becomes of the stores of a checkpoint when a changed application goes on from it."""

    kept: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    only_stages: bool = False
    """Whether nothing has changed but the number of stages, and so in which of them stores are."""

    @staticmethod
    def of(there: Stages, here: Stages) -> Evolution:
        """From one account to another; new stores fit as long as there are as many stages as before."""
        old, new, found = _placed(there), _placed(here), Evolution()
        if len(there) != len(here):
            words = f"it keeps state in {_stages(len(here))}, it was kept in {_stages(len(there))}"
            found.changed.append(words)
        for name, (stage, account) in old.items():
            if name not in new:
                found.lost.append(f"store {name!r}")
            elif changes := list(_changes(name, stage, account, new[name])):
                found.changed.extend(changes)
            else:
                found.kept.append(f"store {name!r}")
        found.added.extend(f"store {name!r}" for name in new if name not in old)
        same = all(name in new and account == new[name][1] for name, (_, account) in old.items())
        return replace(found, only_stages=same and len(there) != len(here))

    @property
    def misfits(self) -> list[str]:
        """Why the application cannot go on with its state; nothing if it can."""
        return self.changed + [f"{store} is not there any more" for store in self.lost]


def _changes(name: str, stage: int, account: Account, now: tuple[int, Account]) -> Iterator[str]:
    if now[0] != stage:
        yield f"store {name!r} is in stage {now[0]}, it was in stage {stage}"
    for part, words in _WORDS.items():
        if account[part] != now[1][part]:
            yield f"the {words} of store {name!r} is {now[1][part] or 'none'}, it was {account[part] or 'none'}"


def _placed(stages: Stages) -> dict[str, tuple[int, Account]]:
    return {name: (number, account) for number, stage in enumerate(stages, 1) for name, account in stage.items()}


def _stages(count: int) -> str:
    return {0: "no stage", 1: "1 stage"}.get(count, f"{count} stages")


def _account(node: Node) -> Account:
    given = [node.output()] if node.facts.table else [upstream.output() for upstream in node.inputs]
    return {
        "op": node.op,
        "keys": _type(node.output().key.type),
        "values": " and ".join(_type(schema.value.type) for schema in given),
        "tasks": _way(node),
        "time": ", ".join(_times(node)),
    }


def _type(type_: Type) -> str:
    """A type by its name; of a record also its fields, which may change without it."""
    return f"{type_} {type_.sql}" if "struct<" in type_.sql else str(type_)


def _way(node: Node) -> str:
    """Which task owns a key. If that changes, state is in the wrong place."""
    if isinstance(node, Repartition):
        into = f" into {node.partitions}" if node.partitions else ""
        return (f"partition {node.partitioner}" if node.partitioner else "hash") + into
    if isinstance(node, Source):
        return f"source {node.name}"
    return " and ".join(sorted({_way(upstream) for upstream in node.inputs}))


def _times(node: Node) -> Iterator[str]:
    """Windows, and how long things are kept; not what only says when to look at the clock."""
    for one in fields(node):
        value: Any = getattr(node, one.name)
        if one.name == "windows":
            yield str(replace(value, idle_ms=None)) if hasattr(value, "idle_ms") else str(value)
        elif one.name.endswith("_ms") and one.name != "idle_ms" and value is not None:
            yield f"{one.name.removesuffix('_ms')} {duration_text(value)}"
