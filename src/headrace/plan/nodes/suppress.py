"""Holding back the changes of a table."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.model.durations import duration_text
from headrace.model.windows import UnlimitedWindows
from headrace.plan.nodes.base import Node, NodeFacts, Unary
from headrace.plan.nodes.count import Emit
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.state import HeldBack, StateDescriptor, StreamTime


@dataclass(frozen=True, kw_only=True, eq=False)
class Suppress(Unary):
    """The last change of each key, held back until its window is over, or for some time since the first one.

    With `final`, the changes of a window leave as one when stream time reaches its end + `wait_ms`, deletions not at
    all. Without, those of a key leave as one when stream time is `wait_ms` past the time of the first. More than
    `max_records` keys, or `max_bytes` of keys and values, are never held back: the oldest leaves early, or with
    `fail_when_full` the application stops. With `idle_ms` stream time follows the clock after so long a silence; it
    does in any case where the windows in front do.
    """

    wait_ms: int
    final: bool
    max_records: int | None
    fail_when_full: bool
    emit: Emit = Emit.EVERY
    """With `settled` the old value of a change is the one sent on before, else as in Kafka Streams one held back."""
    max_bytes: int | None = None
    idle_ms: int | None = None

    op = "suppress"
    facts = NodeFacts(stateful=True, ends=True, table=True, wants_old=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (HeldBack(), StreamTime())

    @property
    def keeps_old(self) -> bool:
        return False

    @property
    def knows_old(self) -> bool:
        return True

    def detail(self) -> str:
        wait = f"until windows close, {duration_text(self.wait_ms)} past their end" if self.final else ""
        full = "then stop" if self.fail_when_full else "then the oldest first"
        bounds = [str(self.max_records)] if self.max_records is not None else []
        bounds += [f"{self.max_bytes} bytes"] if self.max_bytes is not None else []
        most = f", at most {' and '.join(bounds)}, {full}" if bounds else ""
        idle = "" if self.idle_ms is None else f", idle after {duration_text(self.idle_ms)}"
        return (wait or f"for {duration_text(self.wait_ms)}") + most + idle


def lateness_of(node: Node) -> int | None:
    """How long after their end the windows of a table are over, the latest of those it is made of; None without any."""
    if isinstance(node, WindowedAggregation):
        return None if isinstance(node.windows, UnlimitedWindows) else node.windows.lateness_ms
    found = [lateness_of(upstream) for upstream in node.inputs]
    return max((one for one in found if one is not None), default=None)
