"""Into the kernel and out of it: rows as envelopes, and envelopes as rows."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from headrace.spark.flow import CARRIED, HEADERS, Flow
from headrace.spark.session import kernel


def through_kernel(
    flow: Flow, spec: Mapping[str, Any], *, key: str, value: str, seq: str, queue: str = "queue"
) -> DataFrame:
    """The rows that come out of a stage; into it go those of a flow with these for their bytes and place in a queue.

    `queue` is where they wait for the next one.
    """
    carried = {name: f"`{name}`" for name in CARRIED}
    into = {"key": key, "value": value, "seq": seq, "topic": "CAST(topic AS BINARY)", "headers": "hr_pack(headers)"}
    described = json.dumps({"id": uuid.uuid4().hex, "apart": False, "ordered": False, **spec})
    envelopes = kernel(flow.session).Kernel.stage(flow.dataframe({**carried, **into})._jdf, described)
    out = {"queue": queue, "topic": "CAST(topic AS STRING)", "headers": f"hr_unpack(headers, '{HEADERS}')"}
    rows = {**carried, **out, "key": "key", "value": "value"}
    return DataFrame(envelopes, flow.session).selectExpr(*(f"{sql} AS `{name}`" for name, sql in rows.items()))
