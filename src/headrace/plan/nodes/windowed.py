"""Aggregations window by window."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headrace.model.durations import duration_text
from headrace.model.windows import SessionWindows, SlidingWindows, TimeWindows, UnlimitedWindows, Windows
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.nodes.count import Emit
from headrace.plan.nodes.fold import Fold
from headrace.plan.schema import Field, Schema
from headrace.plan.state import FinalResults, StateDescriptor, StreamTime, WindowRows
from headrace.serde import Serde, SessionWindowedSerde, TimeWindowedSerde


@dataclass(frozen=True, kw_only=True, eq=False)
class WindowedAggregation(Unary):
    """Base of the windowed aggregations below; a plan holds one of those.

    Drops a record without a key, and leaves a record out of every window that is over: both are counted. Sends on the
    changes of each window, or with `final` its last value alone, once it is over.
    """

    windows: Windows
    fold: Fold
    store: str
    retention_ms: int
    final: bool
    emit: Emit

    facts = NodeFacts(stateful=True, ends=True, table=True)

    @property
    def window_rows(self) -> WindowRows:
        """The windows that it keeps."""
        raise NotImplementedError(type(self).__name__)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (self.window_rows, FinalResults(wanted=self.final), StreamTime())

    @property
    def lasts(self) -> tuple[str, ...]:
        return (str(replace(self.windows, idle_ms=None)), f"retention {duration_text(self.retention_ms)}")

    @property
    def window_bytes(self) -> int:
        return self.upstream.window_bytes + self.window_rows.times_bytes

    @property
    def drops_late(self) -> bool:
        return True

    @property
    def kept_ms(self) -> int:
        """How long the store keeps windows: as was asked for, at least for as long as they can be of use."""
        return max(self.retention_ms, self.windows.needed_ms)

    @property
    def forgets_after_ms(self) -> int | None:
        return None if isinstance(self.windows, UnlimitedWindows) else self.kept_ms

    def key_serde(self) -> Serde[object]:
        """The serde of the keys inside the windows."""
        return self.upstream.output().key.default_serde(self.origin)

    def output(self) -> Schema:
        serde = self.windowed_serde()
        return Schema(Field(serde.type, serde), Field(self.fold.type))

    def windowed_serde(self) -> Serde[object]:
        """The serde of the keys of the table."""
        raise NotImplementedError(type(self).__name__)

    def detail(self) -> str:
        kept = f", kept {duration_text(self.retention_ms)}" if self.retention_ms != self.windows.retention_ms else ""
        emit = "when a window is over" if self.final else self.emit.value
        return f"{self.fold}, {self.windows}, store {self.store}{kept}, emit {emit}"


@dataclass(frozen=True, kw_only=True, eq=False)
class TimeWindowed(WindowedAggregation):
    """An aggregation over tumbling or hopping windows. A record without a value is folded like any other."""

    windows: TimeWindows

    op = "windowed"

    @property
    def window_rows(self) -> WindowRows:
        return WindowRows(store=self.store, kept_ms=self.kept_ms, chunk_ms=self.windows.advance_ms, adoptable=True)

    @property
    def grows_with(self) -> str | None:
        return "the number of its keys" if isinstance(self.windows, UnlimitedWindows) else None

    def windowed_serde(self) -> Serde[object]:
        return TimeWindowedSerde(self.key_serde(), self.windows.size_ms)  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True, eq=False)
class SlidingWindowed(WindowedAggregation):
    """An aggregation over sliding windows. Drops a record without a value, too."""

    windows: SlidingWindows

    op = "sliding_windowed"

    @property
    def window_rows(self) -> WindowRows:
        return WindowRows(store=self.store, kept_ms=self.kept_ms, chunk_ms=max(1, self.windows.difference_ms))

    def windowed_serde(self) -> Serde[object]:
        return TimeWindowedSerde(self.key_serde(), self.windows.difference_ms)  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True, eq=False)
class SessionWindowed(WindowedAggregation):
    """An aggregation over sessions. A record without a value is folded like any other.

    A session that becomes part of a longer one is deleted from the table before the longer one is sent on.
    """

    windows: SessionWindows

    op = "session_windowed"

    @property
    def window_rows(self) -> WindowRows:
        return WindowRows(
            store=self.store,
            kept_ms=self.kept_ms,
            sessions=True,
            chunk_ms=max(1, self.windows.gap_ms, self.kept_ms // 8),
            adoptable=True,
        )

    def windowed_serde(self) -> Serde[object]:
        return SessionWindowedSerde(self.key_serde())  # type: ignore[return-value]
