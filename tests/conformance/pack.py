"""Many cases as one application: every case gets its own topics and stores by a prefix."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import headrace as hr
from cases.table import Case
from conformance.renamed import Renamed, renamed
from headrace.expr import Bound, Opaque, bind
from headrace.expr.bound import Applied
from headrace.model.clock import SetClock
from headrace.model.types import STR
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, GlobalStore, Node, Process, Source, TableTransformValues, To


class PackedApp(hr.App):
    """An application that runs many cases in one query."""

    def __init__(
        self, cases: Sequence[Case], *, broker: str, checkpoint: Path, now_ms: int = 0, engine: str = "batch"
    ) -> None:
        # Without transactions, whose markers take offsets: a topic is read up to its last record.
        options: dict[str, Any] = {"guarantee": "at_least_once", "engine": engine}
        if engine != "python":
            options["spark"] = {"spark.master": "local[2]"}
        if engine != "batch":
            options["commit_every"] = "1m"  # a batch of a case is one commit
        # Where state is on the broker, each pack is an application of its own.
        app_id = "cases" if engine == "batch" else f"cases-{hashlib.sha256(str(checkpoint).encode()).hexdigest()[:8]}"
        super().__init__(app_id, broker=broker, checkpoint=checkpoint, **options)
        self.clock = SetClock(now_ms)
        plans = [prefixed_plan(case) for case in cases]
        ends, declared = ([node for plan in plans for node in getattr(plan, part)] for part in ("ends", "declared"))
        self._packed = Plan(self.id, tuple(ends), tuple(declared))

    def plan(self) -> Plan:
        return self._packed


RUN = ""
"""Before the names of all cases: another run on the same broker has another one."""


def prefix(case: Case) -> str:
    """What the names of a case begin with."""
    return f"{RUN}{case.id}."


def prefixed_plan(case: Case) -> Plan:
    """The plan of a case with names that no other case has."""
    before = prefix(case)

    def change(node: Node) -> Node:
        changed: dict[str, Any] = {"name": before + node.name}
        if isinstance(node, Source):
            changed["topics"] = tuple(before + topic for topic in node.topics)
            changed["pattern"] = node.pattern and re.escape(before) + node.pattern
        if isinstance(node, To):
            changed["topic"] = before + node.topic if isinstance(node.topic, str) else _behind(before, node.topic)
        if isinstance(node, Changelog):
            changed["table"] = before + node.table
        store = getattr(node, "store", None)
        if store:
            changed["store"] = before + store
        if isinstance(node, Process | TableTransformValues):
            changed |= {"make": Renamed(node.make, before, case.id), "connections": renamed(node.connections, before)}
        if isinstance(node, GlobalStore):
            definition = replace(node.definition, name=changed["store"])
            changed |= {"make": Renamed(node.make, before, case.id), "definition": definition}
        return replace(node, **changed)

    return case.plan().rewrite(change)


@dataclass(frozen=True)
class _Behind:
    """A function that names topics, with text in front of what it says."""

    before: str
    function: Callable[..., str]

    def __call__(self, *given: Any) -> str:
        return self.before + self.function(*given)


def _behind(before: str, topic: Bound) -> Bound:
    """The expression of a topic with text in front of it."""
    if isinstance(topic, Opaque):
        return replace(topic, function=_Behind(before, topic.function))
    joined = bind(hr.lit(before) + hr.value, {"value": STR}, "pack.py")
    assert isinstance(joined, Applied)
    return replace(joined, args=(joined.args[0], topic))
