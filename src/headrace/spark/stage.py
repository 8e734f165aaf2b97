"""Into a stage and out of it: rows as envelopes, and envelopes as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from headrace.plan.nodes import Count, Node, To
from headrace.spark.flow import Columns, Flow, case
from headrace.spark.placement import Edge, Placement
from headrace.spark.session import kernel
from headrace.spark.source import CARRIED
from headrace.spark.sql import packed, unpacked

HEADERS = "array<struct<key:string,value:binary>>"
NO_EDGE = -1


def run_stage(flow: Flow, placement: Placement, number: int) -> Flow:
    """The rows after a stage: its nodes' results, and what only passes by."""
    session, nodes = flow.session, placement.stage(number)
    spec = {"name": f"stage-{number}", "nodes": [_spec(placement, flow, node) for node in nodes]}
    envelopes = _pack(flow, placement)
    after = DataFrame(kernel(session).Kernel.stage(envelopes._jdf, json.dumps(spec)), session)
    read = {edge.number for node in nodes for edge in placement.inputs(node)}
    passing = {placement.edges[edge]: columns.tag for edge, columns in flow.edges.items() if edge not in read}
    made = [placement.outputs(node) for node in nodes if placement.outputs(node)]
    out = _unpack(after, passing, [edges[0] for edges in made])
    for edges in made:
        out = out.send(edges[0].number, [edge.number for edge in edges])
    return out


def _spec(placement: Placement, flow: Flow, node: Node) -> dict[str, Any]:
    assert isinstance(node, Count)
    outputs = placement.outputs(node)
    return {
        "name": node.name,
        "op": node.op,
        "input": flow.edges[placement.inputs(node)[0].number].tag,
        "output": outputs[0].number if outputs else NO_EDGE,
        "store": node.store,
        "emit": node.emit.value,
    }


def _pack(flow: Flow, placement: Placement) -> DataFrame:
    keys, values = {}, {}
    for number, columns in flow.edges.items():
        edge = placement.edges[number]
        key, value = f"`{columns.key}`", f"`{columns.value}`"
        if not _for_sink(edge):
            schema = edge.start.output()
            key = packed(schema.key.type, key)
            value = packed(schema.value.type, value) if edge.end.facts.reads_value else _presence(value)
        keys[columns.tag], values[columns.tag] = key, value
    return flow.dataframe(
        {
            "group": "`group`",
            "tag": "tag",
            "key": case(keys),
            "value": case(values),
            "ts": "ts",
            "queue": "queue",
            "seq": "hr_sequence()",
            "topic": "CAST(topic AS BINARY)",
            "headers": "hr_pack(headers)",
        }
    )


def _unpack(envelopes: DataFrame, passing: Mapping[Edge, int], made: list[Edge]) -> Flow:
    rows = envelopes.selectExpr(
        "tag",
        "`group`",
        "ts",
        "queue",
        "CAST(topic AS STRING) AS topic",
        f"hr_unpack(headers, '{HEADERS}') AS headers",
        "key",
        "value",
    )
    tags = {**passing, **{edge: edge.number for edge in made}}
    flow = Flow.of(rows, CARRIED, {edge.number: Columns(tag, "key", "value") for edge, tag in tags.items()})
    for edge in [edge for edge in passing if not _for_sink(edge)] + made:
        schema = edge.start.output()
        key, value = unpacked(schema.key.type, "key"), unpacked(schema.value.type, "value")
        flow = flow.put(edge.number, key=key, value=value)
    return flow


def _for_sink(edge: Edge) -> bool:
    """Whether the rows that go into a stage on this edge are in the bytes of a sink already."""
    return isinstance(edge.end, To)


def _presence(value: str) -> str:
    return f"if({value} IS NULL, NULL, X'')"
