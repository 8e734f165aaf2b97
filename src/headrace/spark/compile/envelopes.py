"""Envelopes: rows on their way into the kernel, and out of it."""

from __future__ import annotations

from pyspark.sql import DataFrame

from headrace.spark.compile.flow import CARRIED, HEADERS, Flow
from headrace.spark.session.spark import kernel
from headrace.spark.spec.json import to_json
from headrace.spark.spec.stage import StageSpec


def through_kernel(flow: Flow, spec: StageSpec, *, key: str, value: str, seq: str, queue: str = "queue") -> DataFrame:
    """The rows that come out of a stage; into it go those of a flow with these for their bytes and place in a queue.

    `queue` is where they wait for the next one.
    """
    carried = {name: f"`{name}`" for name in CARRIED}
    into = {"key": key, "value": value, "seq": seq, "topic": "CAST(topic AS BINARY)", "headers": "hr_pack(headers)"}
    envelopes = kernel(flow.session).Kernel.stage(flow.dataframe({**carried, **into})._jdf, to_json(spec))
    out = {"queue": queue, "topic": "CAST(topic AS STRING)", "headers": f"hr_unpack(headers, '{HEADERS}')"}
    rows = {**carried, **out, "key": "key", "value": "value"}
    return DataFrame(envelopes, flow.session).selectExpr(*(f"{sql} AS `{name}`" for name, sql in rows.items()))
