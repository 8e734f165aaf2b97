"""The stages of a placement: what runs in each, and which bytes go in and come out."""

from __future__ import annotations

from typing import Any

from headrace.plan.idle import idle_ms
from headrace.plan.nodes import Beside, Branch, Node, Repartition, To
from headrace.plan.nodes.lasting import Lasting
from headrace.plan.old_values import sending_old
from headrace.plan.placed import Later
from headrace.plan.sharing import Sharing
from headrace.spark.envelopes import through_kernel
from headrace.spark.flow import CARRIED, Columns, Flow, case
from headrace.spark.operators import OPERATORS, Functions, failures
from headrace.spark.placement import Edge, Lane, Placement, stores
from headrace.spark.program import Workers, into_python, leaving, out_of_python, python_spec
from headrace.spark.queues import Queues
from headrace.spark.shares import apart, in_order
from headrace.spark.sql import label, packed, packed_key, unpacked, unpacked_key
from headrace.spark.windows import looked_up

ELSEWHERE = -1
FIRST = 1


def run_stage(flow: Flow, placement: Placement, sharing: Sharing, number: int, workers: Workers) -> Flow:
    """The rows after a stage: its nodes' results, and what only passes by. First the kernel's, then Python's."""
    order = {"apart": False, "ordered": False}
    if number == FIRST:
        order = {"apart": apart(placement, sharing), "ordered": in_order(placement, sharing)}
    kernel, python = (placement.stage(number, lane) for lane in (Lane.KERNEL, Lane.PYTHON))
    if kernel:
        spec = {"number": number, **_spec(placement, flow, kernel, sharing), **order}
        flow = _through(flow, placement, kernel, spec)
        order = {"apart": True, "ordered": True}  # they pass by in the order in which they came
    if python:
        described = python_spec(placement, flow, python, sharing, workers)
        flow = _through(flow, placement, python, {"number": number, **described, **order})
    return flow


def _through(flow: Flow, placement: Placement, nodes: tuple[Node, ...], spec: dict[str, Any]) -> Flow:
    key, value = _packed(flow, placement, nodes)
    after = through_kernel(flow, spec, key=key, value=value, seq="hr_sequence()")
    read = {edge.number for node in nodes for edge in placement.inputs(node)}
    passing = {placement.edges[edge]: columns.tag for edge, columns in flow.edges.items() if edge not in read}
    made = leaving(placement, nodes)
    tags = {**passing, **{edge: edge.number for edge in made}}
    edges = {edge.number: Columns(tag, "key", "value") for edge, tag in tags.items()}
    behind = Flow.of(after, CARRIED, edges, Queues(placement.plan).where())
    for edge in tags:
        behind = _unpack(behind, edge, placement, nodes, made=edge not in passing)
    return behind


def _spec(placement: Placement, flow: Flow, members: tuple[Node, ...], sharing: Sharing) -> dict[str, Any]:
    functions, old = Functions(Queues(placement.plan).where(), sharing.tasks), sending_old(placement.plan)
    nodes = (*members, *placement.sending(members))
    place = {node: index for index, node in enumerate(nodes)}
    entries: dict[int, list[tuple[int, int]]] = {}
    times: dict[int, str] = {}
    for node in nodes:
        for position, edge in enumerate(placement.inputs(node)):
            if edge.start not in place or edge.start is node:
                tag = flow.edges[edge.number].tag
                entries.setdefault(tag, []).append((place[node], position))
                if node in placement.timed:
                    times[tag] = placement.timed[node]

    def way(edge: Edge) -> Any:
        if edge.end in place:
            return place[edge.end], placement.inputs(edge.end).index(edge)
        return out(edge)

    def out(edge: Edge) -> Any:
        later = isinstance(edge.end, Later) or edge.end in placement.python
        return {"tag": edge.number, "going": "later" if later else "out" if placement.goes_out(edge) else "on"}

    def described(node: Node) -> dict[str, Any]:
        # What copies a table in a later stage goes first: it has to be there before anything that comes of the change.
        outputs = sorted(placement.outputs(node), key=lambda edge: not isinstance(edge.end, Later))
        results = [edge for edge in outputs if edge.end.facts.beside is None]
        sends = isinstance(node, To | Repartition)  # what they send goes the way that leads to them
        beside = {kind: [edge for edge in outputs if edge.end.facts.beside is kind] for kind in Beside}
        parameters = OPERATORS[type(node)](node, functions)
        parameters["sends_old"] = node in old
        parameters["idle_ms"] = idle_ms(node)
        if isinstance(node, Lasting) and node.ttl_ms is not None:
            parameters |= {"ttl_ms": node.ttl_ms, "time": placement.timed[node]}
        parameters["looked_up"] = looked_up(placement.plan, node)
        parameters["branches"] = [edge.end.position for edge in results if isinstance(edge.end, Branch)]
        if node in placement.reading_failures:
            parameters |= failures(node, placement.reading_failures[node], functions)
        return {
            "name": node.name,
            "label": label(node),
            "op": node.op,
            "inputs": [place.get(upstream, ELSEWHERE) for upstream in node.inputs],
            "ways": [out(edge) for edge in placement.inputs(node)] if sends else [way(edge) for edge in results],
            "beside": {kind.value: [way(edge) for edge in edges] for kind, edges in beside.items()},
            "stores": stores(node),
            "parameters": parameters,
        }

    described_nodes = [described(node) for node in nodes]
    return {
        "nodes": described_nodes,
        "entries": entries,
        "times": times,
        "functions": functions.texts,
    }


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
