"""Progress of a query: Spark's report of a batch, as one of headrace's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from headrace.model.batches import Batch, StageWork

_WHOLE = "triggerExecution"
Counts = Mapping[tuple[str, str, str], int]
"""What the kernel counted in a batch, by kind, place and reason."""


def counts_of(text: str) -> Counts:
    """The counts as the kernel's tally writes them."""
    return {(kind, place, reason): number for kind, place, reason, number in json.loads(text)}


def batch_of(progress: Mapping[str, Any], counts: Counts) -> Batch:
    """A batch as Spark reports it, in JSON, with what the kernel counted in it."""
    parts = dict(progress["durationMs"])
    logged = _sum(counts, "logged")
    return Batch(
        number=progress["batchId"],
        records_in=progress["numInputRows"],
        records_out=max(progress["sink"]["numOutputRows"] - _sum(counts, "unwritten") - logged, 0),
        rows_logged=logged,
        dead_letters=_sum(counts, "letter"),
        duration_ms=parts.pop(_WHOLE, 0),
        parts_ms=parts,
        stages=_stages(progress["stateOperators"], counts),
        drops={(place, reason): number for (kind, place, reason), number in counts.items() if kind == "drop"},
        positions=_positions(progress["sources"]),
        lag=_lag(progress["sources"]),
    )


def batch_of_commits(number: int, told: Mapping[str, Any], *, duration_ms: int) -> Batch:
    """The commits of stream threads since they were asked last, which they tell as JSON, as one batch."""
    counts = {(kind, place, reason): count for kind, place, reason, count in told["counts"]}
    logged = _sum(counts, "logged")
    return Batch(
        number=number,
        records_in=_sum(counts, "read"),
        records_out=max(_sum(counts, "written") - _sum(counts, "unwritten") - logged, 0),
        rows_logged=logged,
        dead_letters=_sum(counts, "letter"),
        duration_ms=duration_ms,
        drops={(place, reason): count for (kind, place, reason), count in counts.items() if kind == "drop"},
        positions={
            (topic, int(partition)): offset
            for topic, partitions in told["positions"].items()
            for partition, offset in partitions.items()
        },
    )


def _sum(counts: Counts, wanted: str) -> int:
    return sum(number for (kind, _, _), number in counts.items() if kind == wanted)


def _stages(operators: list[Mapping[str, Any]], counts: Counts) -> tuple[StageWork, ...]:
    """Spark lists the last stage first."""
    return tuple(
        StageWork(
            number=number,
            records_in=counts.get(("in", str(number), ""), 0),
            records_out=counts.get(("out", str(number), ""), 0),
            state_rows=counts.get(("rows", str(number), ""), 0),
            state_bytes=operator["memoryUsedBytes"] + operator["customMetrics"]["rocksdbSstFileSize"],
            commit_ms=operator["commitTimeMs"],
        )
        for number, operator in enumerate(reversed(operators), 1)
    )


def _lag(sources: list[Mapping[str, Any]]) -> dict[tuple[str, int], int]:
    ends = _positions(sources)
    return {place: latest - ends.get(place, 0) for place, latest in _positions(sources, "latestOffset").items()}


def _positions(sources: list[Mapping[str, Any]], which: str = "endOffset") -> dict[tuple[str, int], int]:
    return {
        (topic, int(partition)): offset
        for source in sources
        for topic, partitions in (source[which] or {}).items()
        if ":" not in topic  # the others are the time of day and the ids of topics
        for partition, offset in partitions.items()
    }
