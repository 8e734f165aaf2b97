"""Aggregations of several streams, window by window."""

from __future__ import annotations

from typing import Any

from headrace.model.record import Record
from headrace.plan.nodes import WindowedCogroup
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.emission import Emission
from headrace.task.operators.base import Operator
from headrace.task.operators.tables import TableOperator
from headrace.task.operators.windowed import WindowedOperator


class WindowedCogroupOperator(TableOperator[WindowedCogroup]):
    """One task's share of a windowed cogroup: its parts do the work, and send on their changes through it."""

    def __init__(self, node: WindowedCogroup, task: Context) -> None:
        super().__init__(node, task)
        self._emission = Emission(node.emit, self, old=self.sends_old)

    def connect(
        self, upstream: tuple[Operator[Any] | None, ...], readers: tuple[tuple[Operator[Any], int], ...]
    ) -> None:
        super().connect(upstream, readers)
        for part in upstream:
            assert isinstance(part, WindowedOperator), "the parts of a cogroup share its task"
            part.send_through(self._emission)

    def on_record(self, record: Record) -> None:
        raise AssertionError(f"{self.node.name}: the parts send on their changes themselves, not {record}")

    def get(self, key: Any) -> Stored | None:
        return self.table(0).get(key)

    def sent(self, key: Any) -> Stored | None:
        return self.table(0).sent(key)

    def flush(self) -> None:
        self._emission.flush()
