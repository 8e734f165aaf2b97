"""History of an application: sums of its batches in steps, of which a bounded number is kept."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from headrace.model.batches import Batch

_FAILED = frozenset({"failed", "refused"})
"""Reasons why a record is left out that are errors; the others are a matter of course, such as late ones."""


@dataclass(slots=True)
class HistoryStep:
    """Step of a history: all batches that were done within it, as sums."""

    at_ms: int
    """When it begins, in milliseconds since 1970."""

    batches: int = 0
    records_in: int = 0
    records_out: int = 0
    busy_ms: int = 0
    """How long the batches took together."""

    longest_ms: int = 0
    failed: int = 0
    """Records that a function failed on, or that a topic did not take, and that were left out."""

    dropped: int = 0
    """Records left out for other reasons."""

    dead_letters: int = 0
    restarts: int = 0
    """How often the query failed, and was begun again."""

    lag: int = 0
    """Records that waited when the last batch began, and were no part of it."""

    state_rows: int = 0
    state_bytes: int = 0

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        self.batches += 1
        self.records_in += batch.records_in
        self.records_out += batch.records_out
        self.busy_ms += batch.duration_ms
        self.longest_ms = max(self.longest_ms, batch.duration_ms)
        failed = sum(count for (_, reason), count in batch.drops.items() if reason in _FAILED)
        self.failed += failed
        self.dropped += sum(batch.drops.values()) - failed
        self.dead_letters += batch.dead_letters
        self.lag = sum(batch.lag.values())
        self.state_rows = sum(stage.state_rows for stage in batch.stages)
        self.state_bytes = sum(stage.state_bytes for stage in batch.stages)


class HistorySpan:
    """A stretch of time up to now, in steps that are all as long; those in which nothing was done are left out."""

    def __init__(self, step_ms: int, count: int) -> None:
        self.step_ms, self._count = step_ms, count
        self._steps: deque[HistoryStep] = deque(maxlen=count)

    def at(self, now_ms: int) -> HistoryStep:
        """The step of a moment, which is not before that of the last call."""
        begins = now_ms - now_ms % self.step_ms
        last = self._steps[-1] if self._steps else None
        if last is None or last.at_ms < begins:
            held = last or HistoryStep(0)
            self._steps.append(
                HistoryStep(begins, lag=held.lag, state_rows=held.state_rows, state_bytes=held.state_bytes)
            )
        return self._steps[-1]

    def steps(self, now_ms: int) -> list[HistoryStep]:
        """Steps that are not too old, and the last one before them, whose lag and state held until then."""
        oldest = now_ms - self.step_ms * self._count
        old = sum(step.at_ms <= oldest for step in self._steps)
        return list(self._steps)[max(old - 1, 0) :]


SPANS = {"15m": (5_000, 180), "24h": (480_000, 180)}
"""How long the steps of each span are, and how many there are."""


class History:
    """The last 15 minutes and the last 24 hours of an application, since the start of this process."""

    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._now, self._lock = now_ms, threading.Lock()
        self._spans = {name: HistorySpan(*size) for name, size in SPANS.items()}
        self.since_ms = now_ms()

    def add(self, batch: Batch) -> None:
        """Add a batch that is done."""
        self._in_all(lambda step: step.add(batch))

    def restarted(self) -> None:
        """Note that the query has failed, and is begun again."""

        def count(step: HistoryStep) -> None:
            step.restarts += 1

        self._in_all(count)

    def steps(self, span: str) -> tuple[int, list[HistoryStep]]:
        """Steps of a span, up to now."""
        with self._lock:
            now_ms = self._now()
            return now_ms, self._spans[span].steps(now_ms)

    def _in_all(self, change: Callable[[HistoryStep], None]) -> None:
        with self._lock:
            now_ms = self._now()
            for span in self._spans.values():
                change(span.at(now_ms))
