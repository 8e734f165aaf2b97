"""Python spec: the nodes of a stage that Python processes run, and the bytes that go in and out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import cloudpickle

from headrace.errors import NotShippable
from headrace.expr.opaque import shown
from headrace.lane.nodes import LEAVE_SIDE_OUTPUT, Enter, Leave
from headrace.lane.program import Exit, Program
from headrace.model.classes import moved_classes
from headrace.model.programs import name_of_program
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.handlers import Asked, Question
from headrace.plan.nodes import Node, Repartition, Source, To, ToStream
from headrace.plan.old_values import sending_old
from headrace.plan.placement_nodes import Everywhere, Later
from headrace.plan.subtopology import SubTopology
from headrace.plan.task_assignment import Sharing
from headrace.serde import Serde
from headrace.serde.pickled import PICKLED
from headrace.spark.compile.lane_formats import key_form, own_form, value_form
from headrace.spark.compile.prefetch import prefetched
from headrace.spark.compile.queues import QueueNumbers
from headrace.spark.compile.sql import decode, encode
from headrace.spark.layout.lanes import sends_changes
from headrace.spark.layout.placement import Edge, Placement
from headrace.spark.session.workers import Workers
from headrace.spark.spec.python import PythonCodeSpec, PythonProgramSpec
from headrace.spark.spec.stage import Going, StageSpec


def python_spec(
    placement: Placement,
    tags: Mapping[int, int],
    nodes: tuple[Node, ...],
    sharing: Sharing,
    number: int,
    workers: Workers,
) -> StageSpec:
    """The spec of the nodes of a stage that run in Python; `tags` are those of the edges that lead into it."""
    program = _Building(placement, tags, nodes, sharing).program()
    along, entries, lookups = {}, {}, prefetched(program)
    for tag, node in program.entries.items():
        found, own = lookups.get(tag, ()), getattr(node, "key", None)
        entries[tag] = tuple(one.cells for one in found if one.key == own)
        along[tag] = tuple(one for one in found if one.key != own)
    program = replace(program, lookups={tag: others for tag, others in along.items() if others})
    exits = {edge.number: _going(edge, placement) for edge in leaving(placement, nodes)}
    code = code_spec(_shipped(program, nodes, workers), workers)
    return _in_python(number, PythonProgramSpec(code, entries, exits, program.topics))


def stamping_spec(placement: Placement, sources: Sequence[Source], number: int, workers: Workers) -> StageSpec:
    """The spec of a stage that gives the records of some sources their times."""
    tags = {placement.read(source)[0].number: source for source in sources}
    plan = Plan(placement.plan.app, tuple(sources))
    failing = frozenset(source for source in sources if source in placement.reading_failures)
    topics = QueueNumbers(placement.plan).topics()
    program = Program(plan, (), tags, {}, frozenset(), failing, topics, {}, stamped=frozenset(sources))
    code = code_spec(_shipped(program, sources, workers), workers)
    entries: dict[int, tuple[str, ...]] = dict.fromkeys(tags, ())
    return _in_python(number, PythonProgramSpec(code, entries, dict.fromkeys(tags, Going.ON), topics))


def _in_python(number: int, program: PythonProgramSpec) -> StageSpec:
    return StageSpec(number=number, entries={}, times={}, python=program)


def leaving(placement: Placement, nodes: Sequence[Node]) -> list[Edge]:
    """The edges on which results leave a stage; those of a sink inside go the way that leads to it."""
    made = [edge for node in nodes for edge in placement.outputs(node) if edge.end not in nodes]
    sent = [edge for node in placement.sending(nodes) for edge in placement.outputs(node)]
    failed = [edge for edge in sent if edge.end.facts.side_output is not None and edge.end not in nodes]
    return made + failed + [placement.inputs(node)[0] for node in nodes if isinstance(node, To)]


def into_python(edge: Edge, key: str, value: str) -> tuple[str, str]:
    """SQL for the bytes in which keys and values go into Python."""
    if edge.raw or edge.undecoded:
        return key, value
    forms = _forms(edge)
    return encode(forms[0], key), encode(forms[1], value)


def out_of_python(edge: Edge) -> dict[str, str]:
    """SQL for the keys and values that come from there; what only Python knows stays as it is."""
    if edge.raw or isinstance(edge.end, To):
        return {}
    forms = dict(zip(("key", "value"), _forms(edge), strict=True))
    return {part: decode(form, part) for part, form in forms.items() if form is not PICKLED}


def _forms(edge: Edge) -> tuple[Serde[Any], Serde[Any]]:
    """The bytes of keys and values on an edge, as Python reads and writes them."""
    value = PICKLED if _is_letter(edge) else (own_form if edge.raw else value_form)(edge.schema.value.type)
    return key_form(edge.schema.key), value


def _going(edge: Edge, placement: Placement) -> Going:
    """Destination of a record; one for the same task must arrive before any record derived from it."""
    if placement.goes_out(edge):
        return Going.OUT
    stays = edge.end in placement.inside and not isinstance(edge.end, Repartition)
    return Going.LATER if stays or isinstance(edge.end, Later) else Going.ON


def handler_spec(handler: Question, workers: Workers) -> PythonCodeSpec:
    """The spec of a function that the sink asks about records which a topic does not take."""
    try:
        return code_spec(cloudpickle.dumps(Asked(handler)), workers)
    except Exception as exc:
        raise NotShippable("on_error", str(exc), shown(handler)) from exc


def code_spec(code: bytes, workers: Workers) -> PythonCodeSpec:
    """The spec of pickled code."""
    return PythonCodeSpec(hashlib.sha256(code).hexdigest()[:16], base64.b64encode(code).decode(), workers.spec)


def _shipped(program: Program, nodes: Sequence[Node], workers: Workers) -> bytes:
    """A program as bytes; one that cannot be says which node is to blame."""
    program = replace(program, started=name_of_program(), moved=moved_classes(), pickles=workers.pickles)
    try:
        code: bytes = cloudpickle.dumps(program)
    except Exception as exc:
        for node in nodes:
            try:
                cloudpickle.dumps(node.with_inputs(dict.fromkeys(node.inputs)))  # type: ignore[arg-type]
            except Exception as own:
                raise NotShippable(node.name, str(own), node.origin) from own
        raise NotShippable(nodes[0].name, str(exc), nodes[0].origin) from exc
    return code


class _Building:
    """A program in the making: nodes of a plan that stand alone, with what is outside as ways in and out."""

    def __init__(
        self, placement: Placement, tags: Mapping[int, int], nodes: tuple[Node, ...], sharing: Sharing
    ) -> None:
        self._placement, self._tags, self._sharing = placement, tags, sharing
        members = {*nodes, *placement.sending(nodes)}
        self._members = tuple(node for node in placement.plan.nodes if node in members)
        self._made: dict[Node, Node] = {}
        self._entries: dict[int, Node | None] = {}
        self._turns = placement.plan.turns
        self._turn_of: dict[Node, int] = {}

    def program(self) -> Program:
        placement = self._placement
        for node in self._members:
            self._made[node] = self._alone(node)
            self._turn_of[self._made[node]] = self._turns[node]
        leaves = {node: self._leaves(node) for node in self._members}
        nodes = [made for node in self._members for made in (self._made[node], *leaves.get(node, ()))]
        old, failing = sending_old(placement.plan), placement.reading_failures
        declared = sorted(nodes, key=lambda one: self._turn_of[one])
        return Program(
            Plan(placement.plan.app, tuple(dict.fromkeys(nodes)), tuple(dict.fromkeys(declared))),
            self._parts(leaves),
            self._entries,
            {node.name: self._exit(node) for node in self._members if isinstance(node, To | Repartition)},
            frozenset(self._made[node] for node in self._members if node in old),
            frozenset(self._made[node] for node in self._members if node in failing),
            QueueNumbers(placement.plan).topics(),
            {
                node.name: node.partitions or self._sharing.tasks
                for node in self._members
                if isinstance(node, Repartition)
            },
        )

    def _alone(self, node: Node) -> Node:
        """A node that reads from others of the program, or from ways in."""
        edges = self._placement.inputs(node)
        if isinstance(node, Everywhere):
            self._entries[self._tag(edges[0])] = node.upstream
            return node.upstream
        entered: dict[Node, Node] = {}
        for edge in edges:
            if edge.start is node:
                self._entries[self._tag(edge)] = node
            elif edge.start not in self._made and edge.start in entered:
                self._entries[self._tag(edge)] = None  # the same records come on the first edge
            elif edge.start not in self._made:
                entered[edge.start] = self._entries[self._tag(edge)] = self._enter(edge)
        return node.with_inputs({**self._made, **entered})

    def _tag(self, edge: Edge) -> int:
        return self._tags[edge.number]

    def _enter(self, edge: Edge) -> Enter:
        key, value = _forms(edge)
        name = f"{edge.start.name} to {edge.end.name}"
        tells = edge.raw or isinstance(edge.end, ToStream)  # which only looks at new values: all that Spark tells
        changes = sends_changes(edge.start) and tells and not _is_letter(edge)
        schema = edge.end.output() if edge.end.facts.side_output is not None else edge.start.output()
        return Enter(name=name, origin=edge.start.origin, schema=schema, key=key, value=value, changes=changes)

    def _leaves(self, node: Node) -> list[Leave]:
        """The ways out of a node to those who are no part of the program; to copies of it first."""
        edges = [edge for edge in self._placement.outputs(node) if edge.end not in self._members]
        if node.facts.cuts:  # what it sends goes the way that leads to it
            edges = [edge for edge in edges if edge.end.facts.side_output is not None]
        found = []
        for edge in edges:
            key, value = _forms(edge)
            leave = LEAVE_SIDE_OUTPUT[edge.end.facts.side_output](
                name=node.name,
                origin=node.origin,
                upstream=self._made[node],
                tag=edge.number,
                key=key,
                value=value,
                changes=edge.raw and sends_changes(node),
            )
            self._turn_of[leave] = _FIRST if isinstance(edge.end, Later) else self._turns[edge.end]
            found.append(leave)
        return found

    def _exit(self, node: To | Repartition) -> Exit:
        (edge,) = self._placement.inputs(node)
        if isinstance(node, To):
            return Exit(edge.number)
        key, value = _forms(edge)
        return Exit(edge.number, key, value, sends_changes(node) and not _is_letter(edge))

    def _parts(self, leaves: Mapping[Node, list[Leave]]) -> tuple[SubTopology, ...]:
        """Nodes that share a stream time: those of one sub-topology."""
        numbers = {
            node.name: part.number for part in split_subtopologies(self._placement.declared) for node in part.nodes
        }
        parts = []
        for part in split_subtopologies(self._placement.plan):
            members = [node for node in part.nodes if node in self._made]
            made = tuple(dict.fromkeys(one for node in members for one in (self._made[node], *leaves.get(node, ()))))
            if made:
                number = next((numbers[node.name] for node in part.nodes if node.name in numbers), part.number)
                parts.append(SubTopology(number, made))
        return tuple(parts)


_FIRST = -1


def _is_letter(edge: Edge) -> bool:
    """Whether what is on it is no change but what a foreign-key join sends, whole."""
    if edge.end.facts.side_output is not None:
        return False
    node = edge.start
    while node.facts.cuts:
        (node,) = node.inputs
    return not node.facts.table and node.op in ("foreign_key_subscribe", "foreign_key_match")
