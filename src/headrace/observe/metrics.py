"""Metrics of an application since it started."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headrace.model.batches import Batch, Drops, StageWork
from headrace.observe.prometheus import MetricFamily, prometheus


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Counts since the start of this process, and the last batch."""

    app: str
    batches: int = 0
    records_in: int = 0
    records_out: int = 0
    rows_logged: int = 0
    """Rows of stores that were written to changelogs, which are no output."""

    dead_letters: int = 0
    """Records that were written to the topic of dead letters."""

    busy_ms: int = 0
    """How long all batches took together."""

    drops: Drops = field(default_factory=dict)
    last: Batch | None = None

    @property
    def stages(self) -> tuple[StageWork, ...]:
        """Work of each stage in the last batch."""
        return self.last.stages if self.last is not None else ()

    @property
    def lag(self) -> Mapping[tuple[str, int], int]:
        """Lag by topic and partition: records that waited when the last batch began, and were no part of it."""
        return self.last.lag if self.last is not None else {}

    def plus(self, batch: Batch) -> Metrics:
        """Metrics with one batch added."""
        return replace(
            self,
            batches=self.batches + 1,
            records_in=self.records_in + batch.records_in,
            records_out=self.records_out + batch.records_out,
            rows_logged=self.rows_logged + batch.rows_logged,
            dead_letters=self.dead_letters + batch.dead_letters,
            busy_ms=self.busy_ms + batch.duration_ms,
            drops=dict(Counter(self.drops) + Counter(batch.drops)),
            last=batch,
        )

    def prometheus(self) -> str:
        """Metrics in Prometheus' text format."""
        return prometheus(self.families(), {"app": self.app})

    def __str__(self) -> str:
        records = "1 record" if self.records_in == 1 else f"{self.records_in:,} records"
        batches = "1 batch" if self.batches == 1 else f"{self.batches:,} batches"
        return f"{records} in, {self.records_out:,} out, {batches}"

    def families(self) -> list[MetricFamily]:
        """Metrics as families of Prometheus."""
        last = self.last or Batch(number=-1, records_in=0, records_out=0, duration_ms=0)
        by_stage = {stage.number: {"stage": str(stage.number)} for stage in last.stages}
        return [
            MetricFamily.counter("batches_total", "Batches done since the start.", self.batches),
            MetricFamily.counter("records_in_total", "Records read since the start.", self.records_in),
            MetricFamily.counter("records_out_total", "Records written since the start.", self.records_out),
            MetricFamily.counter("rows_logged_total", "Rows written to changelogs since the start.", self.rows_logged),
            MetricFamily.counter("dead_letters_total", "Dead letters written since the start.", self.dead_letters),
            MetricFamily.counter("batch_seconds_total", "Time that all batches took together.", self.busy_ms / 1000),
            MetricFamily.counters(
                "records_dropped_total",
                "Records left out since the start, by node and reason.",
                [({"node": node, "reason": reason}, count) for (node, reason), count in self.drops.items()],
            ),
            MetricFamily.gauge("batch_number", "Number of the last batch, -1 before the first.", last.number),
            MetricFamily.gauge("batch_duration_seconds", "Time that the last batch took.", last.duration_ms / 1000),
            MetricFamily.gauges(
                "batch_part_seconds",
                "Time that each part of the last batch took.",
                [({"part": part}, ms / 1000) for part, ms in last.parts_ms.items()],
            ),
            MetricFamily.gauge(
                "batch_records_per_second", "Records read in a second of the last batch.", last.records_per_s
            ),
            MetricFamily.gauges(
                "stage_records_in",
                "Records that went into a stage in the last batch.",
                [(by_stage[stage.number], stage.records_in) for stage in last.stages],
            ),
            MetricFamily.gauges(
                "stage_records_out",
                "Records that came out of a stage in the last batch.",
                [(by_stage[stage.number], stage.records_out) for stage in last.stages],
            ),
            MetricFamily.gauges(
                "state_rows",
                "Rows of state that a stage keeps, as RocksDB guesses.",
                [(by_stage[stage.number], stage.state_rows) for stage in last.stages],
            ),
            MetricFamily.gauges(
                "state_bytes",
                "What the state of a stage takes in memory and on disk.",
                [(by_stage[stage.number], stage.state_bytes) for stage in last.stages],
            ),
            MetricFamily.gauges(
                "lag_records",
                "Records that the last batch left for later ones, by topic and partition.",
                [({"topic": topic, "partition": str(one)}, lag) for (topic, one), lag in last.lag.items()],
            ),
        ]
