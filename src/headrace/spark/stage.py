"""The stages of a placement: what runs in each, and which bytes go in and come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from headrace.plan.idle import idle_ms
from headrace.plan.nodes import Beside, Branch, Node, To
from headrace.plan.nodes.lasting import Lasting
from headrace.plan.old_values import sending_old
from headrace.plan.sharing import Sharing
from headrace.spark.envelopes import through_kernel
from headrace.spark.flow import CARRIED, Columns, Flow, case
from headrace.spark.later import Later
from headrace.spark.operators import OPERATORS, Functions, failures
from headrace.spark.placement import Edge, Placement, stores
from headrace.spark.queues import Queues
from headrace.spark.shares import apart, in_order
from headrace.spark.sql import label, packed, packed_key, unpacked, unpacked_key
from headrace.spark.windows import looked_up

ELSEWHERE = -1
FIRST = 1


def run_stage(flow: Flow, placement: Placement, sharing: Sharing, number: int) -> Flow:
    """The rows after a stage: its nodes' results, and what only passes by."""
    nodes = placement.stage(number)
    key, value = _packed(flow, placement)
    spec = {"number": number, **_spec(placement, flow, nodes)}
    if number == FIRST:
        spec |= {"apart": apart(placement, sharing), "ordered": in_order(placement, sharing)}
    after = through_kernel(flow, spec, key=key, value=value, seq="hr_sequence()")
    read = {edge.number for node in nodes for edge in placement.inputs(node)}
    passing = {placement.edges[edge]: columns.tag for edge, columns in flow.edges.items() if edge not in read}
    made = [edge for node in nodes for edge in placement.outputs(node) if edge.end not in nodes]
    return _unpack(after, passing, made, Queues(placement.plan).where())


def _spec(placement: Placement, flow: Flow, nodes: tuple[Node, ...]) -> dict[str, Any]:
    functions, old = Functions(Queues(placement.plan).where()), sending_old(placement.plan)
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
        return {"tag": edge.number, "later": isinstance(edge.end, Later)}

    def described(node: Node) -> dict[str, Any]:
        # What copies a table in a later stage goes first: it has to be there before anything that comes of the change.
        outputs = sorted(placement.outputs(node), key=lambda edge: not isinstance(edge.end, Later))
        results = [edge for edge in outputs if edge.end.facts.beside is None]
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
            "ways": [way(edge) for edge in results],
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


def _packed(flow: Flow, placement: Placement) -> tuple[str, str]:
    """SQL for the bytes in which keys and values go into a stage."""
    keys, values = {}, {}
    for number, columns in flow.edges.items():
        edge = placement.edges[number]
        key, value = f"`{columns.key}`", f"`{columns.value}`"
        if not _for_sink(edge):
            key = packed_key(edge.schema.key, key)
            value = packed(edge.schema.value.type, value) if placement.reads_value(edge) else _presence(value)
        keys[columns.tag], values[columns.tag] = key, value
    return case(keys), case(values)


def _unpack(rows: DataFrame, passing: Mapping[Edge, int], made: list[Edge], where: str) -> Flow:
    tags = {**passing, **{edge: edge.number for edge in made}}
    flow = Flow.of(rows, CARRIED, {edge.number: Columns(tag, "key", "value") for edge, tag in tags.items()}, where)
    for edge in [edge for edge in passing if not _for_sink(edge)] + made:
        key, value = unpacked_key(edge.schema.key, "key"), unpacked(edge.schema.value.type, "value")
        flow = flow.put(edge.number, key=key, value=value)
    return flow


def _for_sink(edge: Edge) -> bool:
    """Whether the rows that go into a stage on this edge are in the bytes of a sink already."""
    return isinstance(edge.end, To)


def _presence(value: str) -> str:
    return f"if({value} IS NULL, NULL, X'')"
