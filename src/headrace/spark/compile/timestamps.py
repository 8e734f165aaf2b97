"""Timestamps of the records that come in."""

from __future__ import annotations

from dataclasses import replace

from headrace.expr import Bound
from headrace.model.fault_kinds import FaultKind
from headrace.model.types import INT
from headrace.plan.nodes import Source, Times
from headrace.spark.compile.envelopes import through_kernel
from headrace.spark.compile.flow import CARRIED, STAGE_HEADERS, Columns, Flow
from headrace.spark.compile.python_spec import stamping_spec
from headrace.spark.compile.queues import QueueNumbers
from headrace.spark.compile.sql import decode, guarded, label, packed, text, unpacked
from headrace.spark.layout.placement import Placement
from headrace.spark.layout.stamping import remembering, stamped_in_python
from headrace.spark.session.workers import Workers
from headrace.spark.spec.parameters import Function, Timestamps
from headrace.spark.spec.stage import Going, Into, NodeSpec, Out, StageSpec

_PARTITION_TIME = "partition_time"
_BEFORE_ALL = 0
_BEFORE_1970 = text("which is before 1970")


def stamp(flow: Flow, placement: Placement) -> Flow:
    """The records of all sources with their times, and when each has its turn; those without a time are dropped.

    What was stamped by a stage of its own is left as it is. Where failures are read, a record that should have a time
    and has none goes on to where they are, and says so in the place of an old value.
    """
    edges = {source: placement.read(source)[0].number for source in placement.plan.of(Source)}
    done = [*remembering(placement), *stamped_in_python(placement)]
    for source, edge in edges.items():
        if source in done:
            continue
        time = source.timestamp
        if time is Times.FAIL and source in placement.reading_failures:
            flow = flow.put(edge, ts="greatest(ts, 0L)", old=f"hr_untimed(ts, {_BEFORE_1970})")
        if time is Times.WALL_CLOCK:
            # Spark logs the time of a batch before it runs, so that a batch that is run again has the same.
            flow = flow.put(edge, ts="unix_millis(current_timestamp())")
        elif isinstance(time, Bound):
            columns = {"key": f"`{flow.edges[edge].key}`", "value": f"`{flow.edges[edge].value}`", "timestamp": "ts"}
            flow = flow.put(edge, ts=_computed(source, time, columns, flow.where))
        if time is not Times.FAIL:
            flow = flow.keep(edge, f"hr_unless_dropped(ts >= 0, {text(source.name)}, 'no time')")
    stopping = {source for source in edges if source.timestamp is Times.FAIL} - placement.reading_failures.keys()
    strict = [str(flow.edges[edge].tag) for source, edge in edges.items() if source in stopping]
    known = _guarded_time(f"hr_known_time(ts, {_BEFORE_1970})", "ts", flow.where)
    if strict:
        checked = known if len(strict) == len(edges) else f"if(tag IN ({', '.join(strict)}), {known}, 0L)"
        flow = flow.keep_all(f"{checked} >= 0")
    return flow.put_all(turn="hr_turn(queue, ts)")


def remember(flow: Flow, placement: Placement) -> Flow:
    """The rows after a stage of its own, which stamps the records that `remembering` tells; the others pass by.

    It comes before all others, for a record's turn depends on its time. Keys and values are as they were read.
    """
    return _before_all(flow, placement, remember_spec(placement))


def remember_spec(placement: Placement) -> StageSpec:
    """The spec of the stage that stamps the records of `remembering`."""
    queues, sources = QueueNumbers(placement.plan), remembering(placement)
    tags = {source: placement.read(source)[0].number for source in sources}

    def described(source: Source, place: int) -> NodeSpec:
        return NodeSpec(
            name=source.name,
            label=label(source),
            op="timestamps",
            ways=(Out(tags[source], Going.ON),),
            side_outputs={},
            parameters=Timestamps(
                time=Function(place), topics=queues.places(source), goes_on=source in placement.reading_failures
            ),
        )

    return StageSpec(
        number=_BEFORE_ALL,
        nodes=tuple(described(source, place) for place, source in enumerate(sources)),
        entries={tags[source]: (Into(place, 0),) for place, source in enumerate(sources)},
        times={},
        functions=tuple(packed(INT, _time(source, queues.where())) for source in sources),
    )


def stamp_in_python(flow: Flow, placement: Placement, workers: Workers) -> Flow:
    """The rows after a stage of their own in Python, which stamps the records of some sources; the others pass by."""
    return _before_all(flow, placement, stamping_spec(placement, stamped_in_python(placement), _BEFORE_ALL, workers))


def _before_all(flow: Flow, placement: Placement, spec: StageSpec) -> Flow:
    spec = replace(spec, staying=tuple(spec.entries))
    rows = through_kernel(flow, spec, key="`key`", value="`value`", seq="offset", queue="source")
    read = {edge: Columns(columns.tag, "key", "value") for edge, columns in flow.edges.items()}
    return Flow.of(rows, CARRIED, read, QueueNumbers(placement.plan).where())


def _time(source: Source, where: str) -> str:
    """SQL inside the stage: the latest time of the partition is where an aggregate has its value."""
    latest = unpacked(INT, "`aggregate`")
    if isinstance(source.timestamp, Bound):
        key, value = (
            guarded(decode(serde, f"`{part}`", STAGE_HEADERS), FaultKind.UNDECODABLE, f"{part} {serde}", where)
            for part, serde in (("key", source.key), ("value", source.value))
        )
        columns = {"key": key, "value": value, "timestamp": "timestamp", _PARTITION_TIME: latest}
        return _computed(source, source.timestamp, columns, where)
    known = f"hr_known_time({latest}, {text('and no record of its partition before it had a time')})"
    return _guarded_time(f"if(timestamp >= 0, timestamp, {known})", "timestamp", where)


def _computed(source: Source, time: Bound, columns: dict[str, str], where: str) -> str:
    sql = time.sql(columns)
    if time.nullable:
        sql = f"hr_some({sql}, 'None is not a time in whole milliseconds')"
    return guarded(sql, FaultKind.FAILED, label(source), where)


def _guarded_time(sql: str, found: str, where: str) -> str:
    return f"hr_guard({sql}, {text(FaultKind.TIMESTAMP_INVALID)}, CAST({found} AS STRING), {where})"
