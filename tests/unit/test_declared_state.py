"""State is declared beside its operator, and nowhere else: whoever moves or shows it asks no operator's name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import headrace
from cases import restart
from cases.all import all_cases
from cases.table import Case
from headrace.passes.pipeline import rewrite
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Process, Repartition, Source
from headrace.plan.placement_nodes import Everywhere
from headrace.plan.state import TASK_TIME, LaneState, Remembered, StateDescriptor
from headrace.state.merging import MergeRule, rules_of
from headrace.state.state import MemoryState
from headrace.testing import TopologyTestDriver

KERNEL = Path(__file__).parents[2] / "kernel"
PACKAGE = Path(headrace.__file__).parent
READERS = [
    *(PACKAGE / "runtime" / "rescale").glob("*.py"),
    *(PACKAGE / "runtime" / "commands").glob("*.py"),
    *(PACKAGE / "engine").rglob("*.py"),
    *(PACKAGE / "spark").glob("*.py"),
    PACKAGE / "spark" / "compile" / "prefetch.py",
    PACKAGE / "testing" / "views.py",
]
"""Who moves state, shows it, or reads its bytes."""

ROUTES = {Source, Repartition, Everywhere}
"""Nodes that say how a record finds its task."""


def below(cls: type[Any]) -> set[type[Any]]:
    """All classes that come of one in the package."""
    direct = {one for one in cls.__subclasses__() if one.__module__.startswith("headrace.")}
    return direct.union(*map(below, direct))


def node_classes() -> set[type[Node]]:
    return below(Node)


def test_every_node_that_is_stateful_declares_its_state() -> None:
    stateful = {node for node in node_classes() if node.facts.stateful and not issubclass(node, Process)}
    assert [node.__name__ for node in stateful if node.state is Node.state] == []


# -- what operators in Python ask for


def cases() -> list[Case]:
    """Those of restarts, which have all that operators remember, and one of each operator with each kind of state."""
    known: set[tuple[object, ...]] = set()
    found = list(restart.CASES)
    for case in all_cases():
        kept = {(type(node), bool(node.shared_stores), *map(type, node.state)) for node in rewrite(case.plan()).nodes}
        if kept - known:
            known |= kept
            found.append(case)
    return list({case.id: case for case in found}.values())


@cache
def left_by(case: Case) -> tuple[Plan, MemoryState]:
    """The plan of a case, and the state in which its batches leave the task."""
    driver = TopologyTestDriver(case.declared())
    for batch in case.batches:
        driver.advance_wall_clock(timedelta(milliseconds=batch.clock_ms))
        with driver.batch():
            for put in batch.puts:
                for record in put.records:
                    driver.input(put.topic).pipe(record.value, key=record.key, ts=record.ts, headers=record.headers)
    return driver._loop.plan, driver._states[0]


def declared(plan: Plan) -> Iterator[tuple[StateDescriptor, LaneState]]:
    for node in plan.nodes:
        own = (one.store.state for one in node.connections if not one.everywhere)
        kept = (*node.state, *own, TASK_TIME)
        yield from ((one, one.in_python(node.name)) for one in kept)


def undeclared(plan: Plan, state: MemoryState) -> list[str]:
    """Names of cells and of things that are there, and that no node of a plan declares."""
    known = [layout for _, layout in declared(plan)]
    families = {family.name.removeprefix("python.") for layout in known for family in layout.families}
    entries = {entry.place: entry for layout in known for entry in layout.remembered}
    things = [
        (owner, what) for owner, what, thing in state.memory.items() if not fits(entries.get((owner, what)), thing)
    ]
    return [name for name in state._cells if name not in families] + [f"{owner}/{what}" for owner, what in things]


def fits(entry: Remembered | None, thing: Any) -> bool:
    """Whether a thing can be merged as is declared."""
    if entry is None:
        return False
    if is_dataclass(thing):
        return entry.merge is MergeRule.BY_FIELD and rules_of(thing).keys() == {one.name for one in fields(thing)}
    return entry.merge is (MergeRule.UNITED if isinstance(thing, set) else MergeRule.OF_PARTITIONS)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_whatever_an_operator_keeps_in_python_is_declared(case: Case) -> None:
    assert undeclared(*left_by(case)) == []


def test_whatever_is_declared_is_kept_by_an_operator_in_python() -> None:
    never, found = set[tuple[type, str]](), set[tuple[type, str]]()
    for case in cases():
        plan, state = left_by(case)
        there = {*state._cells, *(f"{owner}/{what}" for owner, what, _ in state.memory.items())}
        for one, layout in declared(plan):
            never |= {(type(one), _relative(name)) for name in _named(layout)}
            found |= {(type(one), _relative(name)) for name in _named(layout) if name in there}
    assert never - found == set()


def test_there_is_a_case_of_every_kind_of_state() -> None:
    assert {one for one in below(StateDescriptor) if not one.__subclasses__()} == {type(one) for one in kinds()}


@cache
def kinds() -> set[StateDescriptor]:
    """All descriptors of the cases."""
    return {one for case in cases() for one, _ in declared(left_by(case)[0])}


def _named(layout: LaneState) -> Iterator[str]:
    yield from (family.name.removeprefix("python.") for family in layout.families)
    yield from ("/".join(entry.place) for entry in layout.remembered)


def _relative(name: str) -> str:
    """A name without that of the operator or the store."""
    return name.rpartition("/")[2] if "/" in name else "rows"


def test_cells_and_things_that_nobody_declares_are_found() -> None:
    plan, _ = left_by(cases()[0])
    more = MemoryState()
    more.cells("store.mood")
    more.memory.of(plan.nodes[0].name, "mood", set)
    more.memory.of(plan.nodes[0].name, "stream time of the task", dict)
    assert undeclared(plan, more) == ["store.mood", *(f"{plan.nodes[0].name}/{what}" for what in _MOODS)]


_MOODS = "mood", "stream time of the task"


# -- what operators in the kernel ask for


ASKED = (
    r'memory\.of\(\s*[\w.]+,\s*s?"([^"]+)"',
    r'frontier\(\s*[\w.]+,\s*s?"([^"]+)"',
    r'[cC]ells\(node,\s*s?"([^"]+)"',
    r'cachedCells\(s"([^"]+)"',
)
PASSED_ON = {"WindowRows.scala": 1}
"""Where a name is passed on that somebody else has given: `frontier`."""


def asked_in_kernel() -> set[str]:
    """The names of things, and of cells beside stores, that operators of the kernel ask for, up to what varies."""
    text = "\n".join(path.read_text() for path in sorted(KERNEL.glob("**/*.scala")))
    return {name.partition("$")[0].strip() for pattern in ASKED for name in re.findall(pattern, text)}


def test_whatever_an_operator_keeps_in_the_kernel_is_declared() -> None:
    assert [name for name in sorted(asked_in_kernel()) if not any(map(name_fits(name), in_kernel()))] == []
    assert [name for name in sorted(in_kernel()) if not any(name_fits(one)(name) for one in asked_in_kernel())] == []


def in_kernel() -> set[str]:
    found: set[str] = set()
    for one in kinds():
        layout, store = one.in_kernel("x"), one.kept_in or ""
        found |= {entry.what for entry in layout.remembered}
        names = (family.name.removeprefix("memory.x/").removeprefix("store.") for family in layout.families)
        found |= {name.removesuffix(store).strip() for name in names}
    return found - {""}


def name_fits(asked: str) -> Any:
    return lambda name: name.startswith(asked)


def test_every_name_that_the_kernel_asks_for_is_seen() -> None:
    for path in sorted(KERNEL.glob("**/*.scala")):
        text = path.read_text()
        given = len(re.findall(ASKED[0], text)) + PASSED_ON.get(path.name, 0)
        assert (path.name, text.count("memory.of(")) == (path.name, given)


# -- who reads it


def test_readers_of_state_know_no_operator_by_name() -> None:
    stateful = {node.__name__: node for node in node_classes() if node.state is not Node.state or node.facts.stateful}
    wrong = [
        f"{path.relative_to(PACKAGE)} knows {name}"
        for path in READERS
        for name in _imported(path)
        if name in stateful and stateful[name] not in ROUTES
    ]
    assert wrong == []


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("headrace.plan"):
            yield from (alias.name for alias in node.names)
