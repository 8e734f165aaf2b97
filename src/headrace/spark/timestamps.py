"""The times of the records that come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.expr import Bound
from headrace.expr.bound import Input
from headrace.model.types import INT
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source, Times
from headrace.spark.envelopes import through_kernel
from headrace.spark.flow import CARRIED, Columns, Flow
from headrace.spark.placement import Placement
from headrace.spark.program import Workers, stamping_spec
from headrace.spark.queues import Queues
from headrace.spark.reasons import stamps_in_python
from headrace.spark.sql import decode, guarded, label, packed, text, unpacked

_PARTITION_TIME = "partition_time"
_BEFORE_ALL = 0


def remembering(plan: Plan) -> list[Source]:
    """The sources whose times depend on those of the records before, so that a stage has to remember them."""
    return [one for one in plan.of(Source) if _looks_back(one.timestamp) and not stamps_in_python(one)]


def stamped_in_python(placement: Placement) -> list[Source]:
    """The sources whose times are found by functions in Python, or in values that only Python can read."""
    computed = (one for one in placement.plan.of(Source) if isinstance(one.timestamp, Bound))
    return [
        one
        for one in computed
        if stamps_in_python(one) or (one in placement.python and one not in remembering(placement.plan))
    ]


def stamp(flow: Flow, edges: Mapping[Source, int], done: list[Source]) -> Flow:
    """The records of all sources with their times, and when each has its turn; those without a time are dropped.

    What was stamped by a stage of its own is left as it is.
    """
    for source, edge in edges.items():
        if source in done:
            continue
        time = source.timestamp
        if time is Times.WALL_CLOCK:
            # Spark logs the time of a batch before it runs, so that a batch that is run again has the same.
            flow = flow.put(edge, ts="unix_millis(current_timestamp())")
        elif isinstance(time, Bound) and not _looks_back(time):
            columns = {"key": f"`{flow.edges[edge].key}`", "value": f"`{flow.edges[edge].value}`", "timestamp": "ts"}
            flow = flow.put(edge, ts=_computed(source, time, columns, flow.where))
        if time is not Times.FAIL and not _looks_back(time):
            flow = flow.keep(edge, f"hr_unless_dropped(ts >= 0, {text(source.name)}, 'no time')")
    strict = [str(flow.edges[edge].tag) for source, edge in edges.items() if source.timestamp is Times.FAIL]
    known = _guarded_time(f"hr_known_time(ts, {text('which is before 1970')})", "ts", flow.where)
    if strict:
        checked = known if len(strict) == len(edges) else f"if(tag IN ({', '.join(strict)}), {known}, 0L)"
        flow = flow.keep_all(f"{checked} >= 0")
    return flow.put_all(turn="hr_turn(queue, ts)")


def remember(flow: Flow, placement: Placement) -> Flow:
    """The rows after a stage of its own, which stamps the records that `remembering` tells; the others pass by.

    It comes before all others, for a record's turn depends on its time. Keys and values are as they were read.
    """
    queues, functions = Queues(placement.plan), list[str]()

    def described(source: Source) -> dict[str, Any]:
        functions.append(packed(INT, _time(source, queues.where())))
        return {
            "name": source.name,
            "label": label(source),
            "op": "timestamps",
            "inputs": [],
            "ways": [{"tag": placement.read(source)[0].number, "going": "on"}],
            "beside": {},
            "stores": [],
            "parameters": {"time": len(functions) - 1, "topics": queues.places(source)},
        }

    nodes = [described(source) for source in remembering(placement.plan)]
    entries = {node["ways"][0]["tag"]: [(place, 0)] for place, node in enumerate(nodes)}
    spec = {"number": _BEFORE_ALL, "nodes": nodes, "entries": entries, "times": {}, "functions": functions}
    rows = through_kernel(flow, spec, key="`key`", value="`value`", seq="offset", queue="source")
    read = {edge: Columns(columns.tag, "key", "value") for edge, columns in flow.edges.items()}
    return Flow.of(rows, CARRIED, read, queues.where())


def stamp_in_python(flow: Flow, placement: Placement, workers: Workers) -> Flow:
    """The rows after a stage of their own in Python, which stamps the records of some sources; the others pass by."""
    spec = {"number": _BEFORE_ALL, **stamping_spec(placement, stamped_in_python(placement), workers)}
    rows = through_kernel(flow, spec, key="`key`", value="`value`", seq="offset", queue="source")
    read = {edge: Columns(columns.tag, "key", "value") for edge, columns in flow.edges.items()}
    return Flow.of(rows, CARRIED, read, Queues(placement.plan).where())


def _time(source: Source, where: str) -> str:
    """SQL inside the stage: the latest time of the partition is where an aggregate has its value."""
    latest = unpacked(INT, "`aggregate`")
    if isinstance(source.timestamp, Bound):
        key, value = decode(source.key, "`key`"), decode(source.value, "`value`")
        columns = {"key": key, "value": value, "timestamp": "timestamp", _PARTITION_TIME: latest}
        return _computed(source, source.timestamp, columns, where)
    known = f"hr_known_time({latest}, {text('and no record of its partition before it had a time')})"
    return _guarded_time(f"if(timestamp >= 0, timestamp, {known})", "timestamp", where)


def _computed(source: Source, time: Bound, columns: dict[str, str], where: str) -> str:
    sql = time.sql(columns)
    if time.nullable:
        sql = f"hr_some({sql}, 'None is not a time in whole milliseconds')"
    return guarded(sql, "failed", label(source), where)


def _guarded_time(sql: str, found: str, where: str) -> str:
    return f"hr_guard({sql}, 'timestamp-invalid', CAST({found} AS STRING), {where})"


def _looks_back(time: Times | Bound) -> bool:
    if isinstance(time, Bound):
        return (isinstance(time, Input) and time.name == _PARTITION_TIME) or any(map(_looks_back, time.parts))
    return time is Times.PARTITION_TIME
