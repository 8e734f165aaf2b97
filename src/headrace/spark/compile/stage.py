"""Stages of a placement: the spec of each, and the bytes that go in and come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headrace.plan.nodes import Node, To
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.envelopes import through_kernel
from headrace.spark.compile.flow import CARRIED, Columns, Flow, case
from headrace.spark.compile.kernel_spec import kernel_spec
from headrace.spark.compile.python_spec import into_python, leaving, out_of_python, python_spec
from headrace.spark.compile.queues import QueueNumbers
from headrace.spark.compile.sql import packed, packed_key, unpacked, unpacked_key
from headrace.spark.layout.placement import Edge, Lane, Placement
from headrace.spark.layout.read_optimizations import apart, in_order, stays
from headrace.spark.session.workers import Workers
from headrace.spark.spec.stage import StageSpec

FIRST = 1


def run_stage(flow: Flow, placement: Placement, sharing: Sharing, number: int, workers: Workers) -> Flow:
    """The rows after a stage: its nodes' results, and what only passes by. First the kernel's, then Python's."""
    is_apart = number == FIRST and apart(placement, sharing)
    is_ordered = number == FIRST and in_order(placement, sharing)
    for lane in (Lane.KERNEL, Lane.PYTHON):
        nodes = placement.stage(number, lane)
        if nodes:
            tags = {edge: columns.tag for edge, columns in flow.edges.items()}
            spec = stage_spec(placement, tags, sharing, number, lane, workers)
            staying = tuple(tag for edge, tag in tags.items() if stays(placement, sharing, placement.edges[edge]))
            shared = replace(spec, apart=is_apart, ordered=is_ordered, staying=staying)
            flow = _through(flow, placement, nodes, shared)
            is_apart = is_ordered = True  # rows pass by in the order in which they came
    return flow


def stage_spec(
    placement: Placement,
    tags: Mapping[int, int],
    sharing: Sharing,
    number: int,
    lane: Lane,
    workers: Workers,
) -> StageSpec:
    """The spec of the nodes of a stage that run in a lane; `tags` are those of the edges that lead into it."""
    nodes = placement.stage(number, lane)
    if lane is Lane.KERNEL:
        return kernel_spec(placement, tags, nodes, sharing, number)
    return python_spec(placement, tags, nodes, sharing, number, workers)


def _through(flow: Flow, placement: Placement, nodes: tuple[Node, ...], spec: StageSpec) -> Flow:
    key, value = _packed(flow, placement, nodes)
    after = through_kernel(flow, spec, key=key, value=value, seq="hr_sequence()")
    read = {edge.number for node in nodes for edge in placement.inputs(node)}
    passing = {placement.edges[edge]: columns.tag for edge, columns in flow.edges.items() if edge not in read}
    made = leaving(placement, nodes)
    tags = {**passing, **{edge: edge.number for edge in made}}
    edges = {edge.number: Columns(tag, "key", "value") for edge, tag in tags.items()}
    behind = Flow.of(after, CARRIED, edges, QueueNumbers(placement.plan).where())
    for edge in tags:
        behind = _unpack(behind, edge, placement, nodes, made=edge not in passing)
    return behind


def _packed(flow: Flow, placement: Placement, nodes: tuple[Node, ...]) -> tuple[str, str]:
    """SQL for the bytes in which keys and values go into a stage, or by it."""
    keys, values = {}, {}
    for place, columns in flow.edges.items():
        edge = placement.edges[place]
        key, value = f"`{columns.key}`", f"`{columns.value}`"
        if edge.raw or (edge.end in nodes and edge.end in placement.python):
            key, value = into_python(edge, key, value)
        elif not _was_written(placement, edge, nodes):
            key = packed_key(edge.schema.key, key)
            value = packed(edge.schema.value.type, value) if placement.reads_value(edge) else _presence(value)
        keys[columns.tag], values[columns.tag] = key, value
    return case(keys), case(values)


def _unpack(flow: Flow, edge: Edge, placement: Placement, nodes: tuple[Node, ...], *, made: bool) -> Flow:
    """The keys and values on one edge behind a stage, `made` there or gone by."""
    if (made and edge.start in placement.python) or edge.raw:
        columns = out_of_python(edge)
    elif (made and isinstance(edge.end, To) and edge.end in nodes) or _was_written(placement, edge, nodes):
        columns = {}
    else:
        columns = {"key": unpacked_key(edge.schema.key, "key"), "value": unpacked(edge.schema.value.type, "value")}
    return flow.put(edge.number, **columns) if columns else flow


def _was_written(placement: Placement, edge: Edge, nodes: tuple[Node, ...]) -> bool:
    """Whether the rows on this edge that go by some nodes of a stage are in the bytes of a sink already.

    Of one stage, the nodes in Python come after those in the kernel.
    """
    if not isinstance(edge.end, To) or edge.end in nodes:
        return False
    own, number = placement.step[edge.end], placement.step[nodes[0]]
    return own < number or (own == number and placement.lane(edge.end) is Lane.KERNEL and nodes[0] in placement.python)


def _presence(value: str) -> str:
    return f"if({value} IS NULL, NULL, X'')"
