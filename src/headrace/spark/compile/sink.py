"""Sink: the rows of the last stretch, written to the topics of the application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from headrace.plan.graph import Plan
from headrace.plan.handlers import Handler
from headrace.plan.nodes import Changelog, DeadLetters, Source, To
from headrace.serde.windowed import WindowedSerde
from headrace.spark.compile.flow import Flow, case
from headrace.spark.compile.partitions import chosen_partition, spread
from headrace.spark.compile.python_spec import handler_spec
from headrace.spark.compile.sql import decode, text
from headrace.spark.layout.placement import Placement
from headrace.spark.session.workers import Workers
from headrace.spark.spec.json import to_json

FORMAT = "org.apache.spark.sql.headrace.KafkaSink"
_ALWAYS_THERE = "__consumer_offsets"


def sink_rows(flow: Flow, placement: Placement) -> DataFrame:
    """The rows as the kernel's sink takes them; what ends in no topic is left out by now."""
    topics, keys, values, partitions = {}, {}, {}, {}
    for number, columns in list(flow.edges.items()):
        to = placement.edges[number].end
        assert isinstance(to, To)
        topics[columns.tag] = text(to.topic) if isinstance(to.topic, str) else "topic"
        keys[columns.tag], values[columns.tag] = f"`{columns.key}`", f"`{columns.value}`"
        if to.partitioner is not None and to in placement.inside:
            partitions[columns.tag] = chosen_partition()
        elif to.partitioner is not None:
            flow, partitions[columns.tag] = _partitioned(flow, number, to, topics[columns.tag])
        elif isinstance(to, Changelog) or isinstance(to.key, WindowedSerde):
            # As in Kafka Streams: all windows of a key go to the partition of the key without a window. Who asks a
            # store has to know the partition: no partitioner of the user's has a say in its changelog.
            partitions[columns.tag] = f"CAST({-1 - getattr(to.key, 'window_bytes', 0)} AS INT)"
    nothing, usual = "CAST(NULL AS BINARY)", "CAST(NULL AS INT)"
    return flow.dataframe(
        {
            "topic": case(topics) if topics else "topic",
            "key": case(keys) if keys else nothing,
            "value": case(values) if values else nothing,
            "ts": "ts",
            "headers": "headers",
            "partition": case({**dict.fromkeys(keys, usual), **partitions}) if keys else usual,
        }
    )


def sink_options(
    plan: Plan,
    kafka: Mapping[str, str],
    *,
    create_topics: bool,
    transactions: bool,
    matched: Sequence[str],
    on_error: Handler,
    workers: Workers,
    letters: str | None,
) -> dict[str, str]:
    """Options of the kernel's sink: topics that nobody named are made when first written, or are an error.

    With `transactions`, the numbers of batches are written to the first topic that is read, or one `matched` by a
    pattern: whoever may read it may do so. `on_error` says what becomes of records that a topic does not take, a
    function in one of the `workers`; `letters` is the topic of dead letters that those go to, if there is one.
    """
    topics = [to.topic for to in plan.of(To) if isinstance(to.topic, str)]
    changelogs = [str(to.topic) for to in plan.of(Changelog)]
    options = {"topics": ",".join(topics), "changelogs": ",".join(changelogs)}
    options["createTopics"] = str(create_topics).lower()
    if transactions and plan.of(To):
        read = [topic for source in plan.of(Source) for topic in source.topics]
        options |= {"app": plan.app, "home": next(iter([*read, *matched]), _ALWAYS_THERE)}
    kept = {str(node.topic) for node in plan.of(DeadLetters)} | ({letters} if letters else set())
    options |= {"letters": ",".join(kept), "refused": letters or ""}
    if callable(on_error):
        options |= {"onError": "ask", "handler": to_json(handler_spec(on_error, workers))}
    else:
        options["onError"] = on_error
    return options | {f"kafka.{name}": value for name, value in kafka.items()}


def _partitioned(flow: Flow, edge: int, to: To, topic: str) -> tuple[Flow, str]:
    """A row for each partition that a record goes to, with the column that has its number."""
    columns = flow.edges[edge]
    key, value = decode(to.key, f"`{columns.key}`"), decode(to.value, f"`{columns.value}`")
    count = f"hr_partition_count({topic})"
    return spread(flow, edge, to, {"key": key, "value": value, "topic": topic, "partitions": count})
