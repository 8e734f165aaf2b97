"""From the rows of the last stretch to the topics of the application."""

from __future__ import annotations

from pyspark.sql import DataFrame

from headrace.plan.nodes import To
from headrace.spark.flow import Flow, case
from headrace.spark.placement import Placement
from headrace.spark.sql import text

FORMAT = "org.apache.spark.sql.headrace.KafkaSink"


def sink_rows(flow: Flow, placement: Placement) -> DataFrame:
    """The rows as the kernel's sink takes them; what ends in no topic is left out by now."""
    topics, keys, values = {}, {}, {}
    for number, columns in flow.edges.items():
        to = placement.edges[number].end
        assert isinstance(to, To)
        topics[columns.tag] = text(to.topic) if isinstance(to.topic, str) else "topic"
        keys[columns.tag], values[columns.tag] = f"`{columns.key}`", f"`{columns.value}`"
    nothing = "CAST(NULL AS BINARY)"
    return flow.dataframe(
        {
            "topic": case(topics) if topics else "topic",
            "key": case(keys) if keys else nothing,
            "value": case(values) if values else nothing,
            "ts": "ts",
            "headers": "headers",
        }
    )
