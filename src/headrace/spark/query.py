"""A placement as one Spark query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from headrace.plan.nodes import Source
from headrace.spark.native import Native
from headrace.spark.placement import Placement
from headrace.spark.session import kernel, note_run
from headrace.spark.sink import FORMAT, sink_rows
from headrace.spark.source import read_topics, source_flow
from headrace.spark.stage import run_stage
from headrace.spark.tasks import Tasks


def dataframe(
    session: SparkSession,
    placement: Placement,
    *,
    kafka: Mapping[str, str],
    tasks: int,
    by_partition: Mapping[Source, bool],
) -> DataFrame:
    """Everything from the source to the rows of the sink."""
    grouped = Tasks(list(kernel(session).Groups.of(tasks)))
    native = Native(placement, grouped)
    flow = source_flow(read_topics(session, placement, kafka), placement, grouped, by_partition)
    flow = native.run(flow, 0)
    for number in range(1, placement.stages + 1):
        flow = native.run(run_stage(flow, placement, number), number)
    return sink_rows(flow, placement)


class Query:
    """A running Spark query."""

    def __init__(self, query: StreamingQuery, session: SparkSession) -> None:
        self._query, self._session = query, session
        self._counted = ""

    @staticmethod
    def start(
        rows: DataFrame,
        *,
        name: str,
        kafka: Mapping[str, str],
        checkpoint: str,
        topics: Iterable[str],
        create_topics: bool,
        until_latest: bool,
    ) -> Query:
        """Start writing the rows: until the end of what is there now, or for good.

        `topics` are known to exist; others are made when a record is for them if `create_topics`, or are an error.
        """
        writer = (
            rows.writeStream.format(FORMAT)
            .queryName(name)
            .outputMode("append")
            .option("checkpointLocation", checkpoint)
            .option("topics", ",".join(topics))
            .option("createTopics", create_topics)
        )
        for option, value in kafka.items():
            writer = writer.option(f"kafka.{option}", value)
        writer = writer.trigger(availableNow=True) if until_latest else writer.trigger(processingTime="0 seconds")
        query = Query(writer.start(), rows.sparkSession)
        note_run()
        return query

    def wait(self, seconds: float) -> bool:
        """Wait for the end, good or bad; False if the time ran out."""
        try:
            # Spark refuses a wait of 0 ms.
            return bool(self._query._jsq.awaitTermination(max(1, int(seconds * 1000))))
        except StreamingQueryException:
            return True

    def finish(self) -> None:
        """Let the batch that runs end, then the query; returns when it has."""
        kernel(self._session).Kernel.finish(self._query._jsq)
        # Not wait(): with a time limit Spark looks at the state that was just set, not at whether the batch has ended.
        with suppress(StreamingQueryException):
            self._query.awaitTermination()

    def stop(self) -> None:
        """End the query now, in the middle of a batch if there is one."""
        self._query.stop()

    def failure(self) -> str | None:
        """What the query failed of, the causes too, each on lines of its own."""
        failure: Any = self._query._jsq.exception()
        if not failure.isDefined():
            return None
        cause, lines = failure.get(), []
        while cause is not None:
            lines.append(str(cause.toString()))
            cause = cause.getCause()
        return "\n".join(lines)

    def new_batches(self) -> list[tuple[int, int]]:
        """Records in and out of each batch that ended since the last call."""
        last = self._query.lastProgress
        if last is None or last.timestamp <= self._counted:
            return []
        fresh = [one for one in self._query.recentProgress if one.timestamp > self._counted]
        self._counted = last.timestamp
        return [(one.numInputRows, max(one.sink.numOutputRows, 0)) for one in fresh if one.numInputRows]
