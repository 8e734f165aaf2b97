"""Native lane: each stateless node as a step of Catalyst on the rows of its edge."""

from __future__ import annotations

from collections.abc import Callable

from headrace.expr import Bound
from headrace.expr.sql import converted
from headrace.model.fault_kinds import FaultKind
from headrace.model.types import ListType
from headrace.plan.nodes import (
    Branch,
    Changelog,
    DeadLetters,
    Errors,
    Expired,
    Filter,
    FlatMap,
    FlatMapValues,
    Late,
    Map,
    MapValues,
    Merge,
    Node,
    Peek,
    Repartition,
    SelectKey,
    Skipped,
    Split,
    To,
    ToStream,
)
from headrace.plan.placement_nodes import Later, Through
from headrace.spark.compile.flow import Flow
from headrace.spark.compile.partitions import chosen_partition, spread
from headrace.spark.compile.queues import QueueNumbers
from headrace.spark.compile.sql import encode, guarded, headed, label, packed_key, shown, some, text
from headrace.spark.compile.task_numbers import Tasks
from headrace.spark.layout.placement import Placement


class Native:
    """Runs the nodes of one stretch, in order."""

    def __init__(self, placement: Placement, tasks: Tasks) -> None:
        self._placement, self._tasks, self._queues = placement, tasks, QueueNumbers(placement.plan)

    def run(self, flow: Flow, stretch: int) -> Flow:
        """The rows after all nodes of a native stretch."""
        for node in self._placement.stretch(stretch):
            if type(node) in OPERATORS:
                edges = tuple(edge.number for edge in self._placement.inputs(node))
                flow = OPERATORS[type(node)](self, flow, node, *edges)
        return flow

    def pass_on(self, flow: Flow, node: Node, edge: int) -> Flow:
        """Rows leave a node for all that read its results."""
        outputs = (out for out in self._placement.outputs(node) if out.end.facts.side_output is None)
        return flow.send(edge, [out.number for out in outputs])

    def side_output(self, flow: Flow, node: Node, *edges: int) -> Flow:
        """Rows that the parts of an operator left out leave together."""
        return self.pass_on(flow.join(edges, edges[0]) if len(edges) > 1 else flow, node, edges[0])

    def filter(self, flow: Flow, node: Filter, edge: int) -> Flow:
        condition = f"coalesce({_sql(node.predicate, flow, node, edge)}, false)"
        return self.pass_on(flow.keep(edge, condition if node.keep else f"not {condition}"), node, edge)

    def map(self, flow: Flow, node: Map, edge: int) -> Flow:
        flow = flow.put(edge, value=_sql(node.pair, flow, node, edge, "(key, value)"))
        flow = flow.always(edge, value=node.pair.may_fail)
        pair = f"`{flow.edges[edge].value}`"
        return self.pass_on(flow.put(edge, key=f"{pair}.key", value=f"{pair}.value"), node, edge)

    def map_values(self, flow: Flow, node: MapValues, edge: int) -> Flow:
        flow = flow.put(edge, value=_sql(node.value, flow, node, edge)).always(edge, value=node.value.may_fail)
        return self.pass_on(flow, node, edge)

    def flat_map(self, flow: Flow, node: FlatMap, edge: int) -> Flow:
        flow, pair = self._explode(flow, node, node.pairs, edge)
        return self.pass_on(flow.put(edge, key=f"{pair}.key", value=f"{pair}.value"), node, edge)

    def flat_map_values(self, flow: Flow, node: FlatMapValues, edge: int) -> Flow:
        flow, item = self._explode(flow, node, node.values, edge)
        return self.pass_on(flow.put(edge, value=item), node, edge)

    def select_key(self, flow: Flow, node: SelectKey, edge: int) -> Flow:
        flow = flow.put(edge, key=_sql(node.key, flow, node, edge)).always(edge, key=node.key.may_fail)
        return self.pass_on(flow, node, edge)

    def peek(self, flow: Flow, node: Peek, edge: int) -> Flow:
        flow, item = flow.compute(edge, _sql(node.shown, flow, node, edge))
        return self.pass_on(flow.keep(edge, f"hr_peek({shown(node.shown.type, item)})"), node, edge)

    def merge(self, flow: Flow, node: Merge, left: int, right: int) -> Flow:
        return self.pass_on(flow.join((left, right), left), node, left)

    def split(self, flow: Flow, node: Split, edge: int) -> Flow:
        ways, default = [], None
        for out in self._placement.outputs(node):
            assert isinstance(out.end, Branch)
            if out.end.default:
                default = out.number
            else:
                ways.append((out.end.position, out.number))
        predicates = [f"coalesce({_sql(one, flow, node, edge)}, false)" for one in node.predicates]
        return flow.choose(edge, predicates, dict(ways), default)

    def repartition(self, flow: Flow, node: Repartition, edge: int) -> Flow:
        key = f"`{flow.edges[edge].key}`"
        if self._placement.is_sent(node):
            return self._sent_by_stage(flow, node, edge, key)
        if not node.takes_none:
            flow = flow.keep(edge, f"hr_unless_dropped({key} IS NOT NULL, {text(node.name)}, 'no key')")
        group = self._tasks.of_key(packed_key(node.output().key, key), node.partitions)
        if node.partitioner is not None:
            value, count = f"`{flow.edges[edge].value}`", node.partitions or len(self._tasks)
            columns = {"key": key, "value": value, "topic": text(node.name), "partitions": str(count)}
            flow, partition = spread(flow, edge, node, columns)
            group = f"coalesce({self._tasks.of_partition(partition)}, {group})"
        if node.takes_none:
            group = f"coalesce({group}, `group`)"
        return self.pass_on(flow.put(edge, group=group, **self._waiting(node, edge)), node, edge)

    def _waiting(self, node: Repartition, edge: int) -> dict[str, str]:
        return self._queues.of_repartition(node, edge, behind_a_stage=self._placement.step[node] > 0)

    def _sent_by_stage(self, flow: Flow, node: Repartition, edge: int, key: str) -> Flow:
        """A stage has dropped what has no key, and asked the partitioner: what it said is where old values are."""
        raw = self._placement.edges[edge].raw
        group = self._tasks.of_key(key if raw else packed_key(node.output().key, key), node.partitions)
        carried = {}
        if node.partitioner is not None:
            group = f"coalesce({self._tasks.of_partition(chosen_partition())}, {group})"
            carried["old"] = "CAST(NULL AS BINARY)"
        if node.takes_none:
            group = f"coalesce({group}, `group`)"
        carried |= {"group": group, **self._waiting(node, edge)}
        return self.pass_on(flow.put(edge, **carried), node, edge)

    def to(self, flow: Flow, node: To, edge: int) -> Flow:
        columns, found = flow.edges[edge], node.inputs[0].output()
        key = converted(f"`{columns.key}`", found.key.type, node.key.type)
        value = converted(f"`{columns.value}`", found.value.type, node.value.type)
        carried = {} if isinstance(node.topic, str) else {"topic": _sql(node.topic, flow, node, edge, "a topic")}
        if node.writes_headers:
            both = headed(node.value, value, headed(node.key, key, "headers"))
            carried["headers"] = _guarded(both, node, flow)
        key, value = (_guarded(encode(serde, sql), node, flow) for serde, sql in ((node.key, key), (node.value, value)))
        return flow.put(edge, key=key, value=value, **carried)

    def _explode(self, flow: Flow, node: Node, items: Bound, edge: int) -> tuple[Flow, str]:
        assert isinstance(items.type, ListType)
        return flow.explode(edge, _sql(items, flow, node, edge, "a list"), items.type.element.sql)


OPERATORS: dict[type[Node], Callable[..., Flow]] = {
    Branch: Native.pass_on,
    Changelog: Native.to,
    Errors: Native.side_output,
    Skipped: Native.side_output,
    Expired: Native.side_output,
    Filter: Native.filter,
    FlatMap: Native.flat_map,
    FlatMapValues: Native.flat_map_values,
    Late: Native.side_output,
    Later: Native.pass_on,
    Map: Native.map,
    MapValues: Native.map_values,
    Merge: Native.merge,
    Peek: Native.peek,
    Repartition: Native.repartition,
    SelectKey: Native.select_key,
    Split: Native.split,
    Through: Native.pass_on,
    To: Native.to,
    DeadLetters: Native.to,
    ToStream: Native.pass_on,
}


def _sql(bound: Bound, flow: Flow, node: Node, edge: int, never_none: str = "") -> str:
    columns = flow.edges[edge]
    sql = bound.sql({"key": f"`{columns.key}`", "value": f"`{columns.value}`", "timestamp": "ts"})
    if never_none and bound.nullable:
        sql = some(sql, f"None is not {never_none}")
    return _guarded(sql, node, flow)


def _guarded(sql: str, node: Node, flow: Flow) -> str:
    return guarded(sql, FaultKind.FAILED, label(node), flow.where)
