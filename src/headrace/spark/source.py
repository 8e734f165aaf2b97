"""From Kafka's records to the rows of the first stretch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from headrace.plan.nodes import Source
from headrace.plan.sharing import Sharing
from headrace.serde import BYTES
from headrace.spark.flow import Columns, Flow
from headrace.spark.placement import Placement
from headrace.spark.queues import Queues
from headrace.spark.sql import decode, encode, guarded, text
from headrace.spark.tasks import Tasks

CARRIED = ("tag", "group", "ts", "turn", "queue", "topic", "headers", "source", "offset", "old", "latest")
"""What every row has: its edge, its task, its time, when and where it waits, the topic chosen for it, its headers,
where it was read, and of a change of a table its old value and whether it is the latest."""

WHERE = "concat(source_topic, '-', partition, '@', offset)"

_MAX_RECORDS_A_BATCH = 1_000_000


def read_topics(session: SparkSession, placement: Placement, kafka: Mapping[str, str]) -> DataFrame:
    """One Kafka source over all topics of the application, from their beginnings, committed records only."""
    sources = placement.plan.of(Source)
    reader = (
        session.readStream.format("kafka")
        .option("startingOffsets", "earliest")
        .option("includeHeaders", True)
        .option("maxOffsetsPerTrigger", _MAX_RECORDS_A_BATCH)
        .option("kafka.isolation.level", "read_committed")
        # Spark looks for the end of a partition now and then: an answer that nothing is there should not take long.
        .option("kafka.fetch.max.wait.ms", 20)
        # The connector asks for the ends of a partition after every poll: two trips to the broker for 500 records.
        .option("kafka.max.poll.records", 20_000)
        .option("kafka.max.partition.fetch.bytes", 4 * 1024 * 1024)
    )
    for name, value in kafka.items():
        reader = reader.option(f"kafka.{name}", value)
    topics = [topic for source in sources for topic in source.topics]
    patterns = [source.pattern for source in sources if source.pattern]
    if not patterns:
        return reader.option("subscribe", ",".join(topics)).load()
    whole = "|".join([re.escape(topic) for topic in topics] + [f"(?:{pattern})" for pattern in patterns])
    return reader.option("subscribePattern", whole).load()


def source_flow(records: DataFrame, placement: Placement, tasks: Tasks, sharing: Sharing) -> Flow:
    """Records decoded, tagged with the edges behind their sources, and shared among the tasks."""
    sources = placement.plan.of(Source)
    outputs = {source: [edge.number for edge in placement.read(source)] for source in sources}
    queue = Queues(placement.plan).of_record()
    rows = records.selectExpr(
        f"{_tag(sources, {source: edges[0] for source, edges in outputs.items()})} AS tag",
        f"{_group(tasks, sharing)} AS `group`",
        "unix_millis(timestamp) AS ts",
        f"hr_turn({queue}, unix_millis(timestamp)) AS turn",
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
    for source, edges in outputs.items():
        flow = _decode(flow, source, edges[0])
        if sharing.goes_by_key(source.name):
            key = encode(source.key.name, f"`{flow.edges[edges[0]].key}`")
            flow = flow.put(edges[0], group=f"coalesce({tasks.of_key(key)}, `group`)")
    for edges in outputs.values():
        flow = flow.send(edges[0], edges)
    return flow


def _decode(flow: Flow, source: Source, edge: int) -> Flow:
    decoded = {
        part: guarded(decode(serde.name, part), "undecodable", f"{part} {serde}", flow.where)
        for part, serde in (("key", source.key), ("value", source.value))
        if serde != BYTES
    }
    return flow.put(edge, **decoded).always(edge, **dict.fromkeys(decoded, True)) if decoded else flow


def _group(tasks: Tasks, sharing: Sharing) -> str:
    """The task of a record's partition; a partition that was not there when the state was made is refused."""
    known = {topic: count for counts in sharing.partitions.values() for topic, count in (counts or {}).items()}
    refusals = " ".join(
        f"WHEN topic = {text(topic)} AND partition >= {count} THEN {_refusal(topic, count)}"
        for topic, count in known.items()
    )
    group = tasks.of_partition("partition")
    return f"CASE {refusals} ELSE {group} END" if refusals else group


def _refusal(topic: str, count: int) -> str:
    fault = {"kind": "partitions-changed", "subject": topic, "reason": str(count), "where": f"more than {count}"}
    return f"raise_error({text(f'headrace-fault:{json.dumps(fault)}')})"


def _tag(sources: tuple[Source, ...], tags: Mapping[Source, int]) -> str:
    cases = []
    for source in sorted(sources, key=lambda one: one.pattern is not None):
        if source.pattern:
            cases.append(f"when topic rlike {text(f'^(?:{source.pattern})$')} then {tags[source]}")
        else:
            names = ", ".join(text(topic) for topic in source.topics)
            cases.append(f"when topic in ({names}) then {tags[source]}")
    return f"case {' '.join(cases)} end" if len(sources) > 1 else str(tags[sources[0]])
