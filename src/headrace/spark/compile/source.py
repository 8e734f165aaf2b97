"""Source: Kafka's records as the rows of the first stretch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from headrace.model.clock import Clock, MachineClock
from headrace.model.fault_kinds import FaultKind
from headrace.plan.idle import idle_ms
from headrace.plan.nodes import Source
from headrace.plan.task_assignment import Sharing
from headrace.serde import BYTES
from headrace.spark.compile.flow import CARRIED, Columns, Flow
from headrace.spark.compile.queues import QueueNumbers
from headrace.spark.compile.sql import decode, encode, guarded, text
from headrace.spark.compile.task_numbers import Tasks
from headrace.spark.compile.timestamps import remember, stamp, stamp_in_python
from headrace.spark.layout.placement import Placement
from headrace.spark.layout.read_optimizations import apart, unread
from headrace.spark.layout.stamping import remembering, stamped_in_python
from headrace.spark.session.spark import kernel
from headrace.spark.session.workers import Workers

Starts = Mapping[str, Mapping[str, int]]
"""The offset that each partition of each topic is read from at first; BEGINNING is Spark's number for the first."""

BEGINNING = -2

WHERE = "concat(source_topic, '-', partition, '@', offset)"

FORMAT = "org.apache.spark.sql.headrace.KafkaInput"
_AGES = f"{1 << 62}L"


def read_topics(
    session: SparkSession,
    placement: Placement,
    sharing: Sharing,
    *,
    kafka: Mapping[str, str],
    clock: Clock,
    starts: Starts,
    still: bool = False,
) -> DataFrame:
    """One Kafka source over all topics of the application, committed records only.

    Topics are read from their beginnings; if some are not, `starts` has all of them. If it stands `still`, its batches
    end where they begin.
    """
    sources = placement.plan.of(Source)
    reader = (
        session.readStream.format(FORMAT)
        .option("startingOffsets", json.dumps(starts) if starts else "earliest")
        .option("includeHeaders", True)
        .option("clock", _clock(placement, clock))
        .option("tally", kernel(session).BatchTally.of(session._jsparkSession).id())
        .option("first", ",".join(topic for one in sources if one.facts.everywhere for topic in one.topics))
        .option("still", still)
        .option("kafka.isolation.level", "read_committed")
        .option("unread", ",".join(unread(placement)))
        .option("python", bool(placement.python or stamped_in_python(placement)))
        .option("tasks", sharing.tasks if apart(placement, sharing) else 0)
        # The end of a batch may lie behind the last record that is there: the answer to that should not take long.
        .option("kafka.fetch.max.wait.ms", 20)
        .option("kafka.max.poll.records", 2_000)
        .option("kafka.max.partition.fetch.bytes", 4 * 1024 * 1024)
        .option("kafka.receive.buffer.bytes", -1)
    )
    for name, value in kafka.items():
        reader = reader.option(f"kafka.{name}", value)
    topics = [topic for source in sources for topic in source.topics]
    patterns = [source.pattern for source in sources if source.pattern]
    if not patterns:
        return reader.option("subscribe", ",".join(topics)).load()
    whole = "|".join([re.escape(topic) for topic in topics] + [f"(?:{pattern})" for pattern in patterns])
    # Spark looks for the pattern anywhere in a name.
    return reader.option("subscribePattern", f"^(?:{whole})$").load()


def live_records(session: SparkSession, placement: Placement, sharing: Sharing) -> DataFrame:
    """The same for stream threads, which read the topics themselves."""
    topics = [topic for source in placement.plan.of(Source) for topic in source.topics]
    return DataFrame(kernel(session).Kernel.liveRecords(session._jsparkSession, topics, sharing.tasks), session)


def source_flow(records: DataFrame, placement: Placement, tasks: Tasks, sharing: Sharing, workers: Workers) -> Flow:
    """Records decoded and with their times, tagged with the edges behind their sources, and shared among the tasks."""
    sources = placement.plan.of(Source)
    outputs = {source: [edge.number for edge in placement.read(source)] for source in sources}
    queue = QueueNumbers(placement.plan).of_record()
    rows = records.selectExpr(
        f"{_tag(sources, {source: edges[0] for source, edges in outputs.items()})} AS tag",
        f"{_group(tasks, sharing)} AS `group`",
        "unix_micros(timestamp) AS ts",  # which it has in milliseconds, see kernel/kafka/KafkaReader.scala
        "0L AS turn",
        f"{queue} AS queue",
        "CAST(NULL AS STRING) AS topic",
        "headers",
        f"{queue} AS source",
        "CAST(NULL AS BINARY) AS old",
        "TRUE AS latest",
        "topic AS source_topic",
        "partition",
        "offset",
        "key",
        "value",
    )
    read = {edges[0]: Columns(edges[0], "key", "value") for edges in outputs.values()}
    flow = Flow.of(rows, [*CARRIED, "source_topic", "partition"], read, WHERE)
    if remembering(placement):
        flow = remember(flow, placement)
    if stamped_in_python(placement):
        flow = stamp_in_python(flow, placement, workers)
    for source, edges in outputs.items():
        undecoded = source in placement.reading_failures or source in placement.python
        if not undecoded:
            flow = _decode(flow, source, edges[0])
        if sharing.goes_by_key(source.name):
            key = "key" if undecoded else encode(source.key, f"`{flow.edges[edges[0]].key}`")
            flow = flow.put(edges[0], group=f"coalesce({tasks.of_key(key)}, `group`)")
    flow = stamp(flow, placement)
    for source, edges in outputs.items():
        if source.facts.everywhere:
            flow = _everywhere(flow, tasks, source, edges[0])
        flow = flow.send(edges[0], edges)
    return flow


def _clock(placement: Placement, clock: Clock) -> str:
    """Clock of the batches, as the kernel takes it: nobody's, the machine's, or a fixed time."""
    if not placement.python and not any(idle_ms(node) is not None for node in placement.plan.nodes):
        return "none"
    return "machine" if isinstance(clock, MachineClock) else str(clock.now_ms())


def _decode(flow: Flow, source: Source, edge: int) -> Flow:
    decoded = {
        part: guarded(decode(serde, part), FaultKind.UNDECODABLE, f"{part} {serde}", flow.where)
        for part, serde in (("key", source.key), ("value", source.value))
        if serde != BYTES
    }
    return flow.put(edge, **decoded).always(edge, **dict.fromkeys(decoded, True)) if decoded else flow


def _everywhere(flow: Flow, tasks: Tasks, table: Source, edge: int) -> Flow:
    """The rows of a global table for every task, before all others of the batch; what has no key is dropped once.

    The processor of a global store sees that as well.
    """
    if table.facts.table:
        has_key = f"`{flow.edges[edge].key}` IS NOT NULL"
        flow = flow.keep(edge, f"hr_unless_dropped({has_key}, {text(table.name)}, 'no key')")
    flow, group = flow.explode(edge, tasks.all(), "int")
    return flow.put(edge, group=group, turn=f"turn - {_AGES}")


def _group(tasks: Tasks, sharing: Sharing) -> str:
    """The task of a record's partition; a partition that was not there when the state was made is refused."""
    known = {topic: count for counts in sharing.partitions.values() for topic, count in (counts or {}).items()}
    refusals = " ".join(
        f"WHEN topic = {text(topic)} AND partition >= {count} THEN hr_new_partition({text(topic)}, {count})"
        for topic, count in known.items()
    )
    group = tasks.of_partition("partition")
    return f"CASE {refusals} ELSE {group} END" if refusals else group


def _tag(sources: tuple[Source, ...], tags: Mapping[Source, int]) -> str:
    cases = []
    for source in sorted(sources, key=lambda one: one.pattern is not None):
        if source.pattern:
            cases.append(f"when topic rlike {text(f'^(?:{source.pattern})$')} then {tags[source]}")
        else:
            names = ", ".join(text(topic) for topic in source.topics)
            cases.append(f"when topic in ({names}) then {tags[source]}")
    return f"case {' '.join(cases)} end" if len(sources) > 1 else str(tags[sources[0]])
