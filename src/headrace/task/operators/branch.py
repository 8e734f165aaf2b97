"""Sending each record of a stream one of several ways."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import Split
from headrace.task.context import Context
from headrace.task.operators.base import Operator


class SplitOperator(Operator[Split]):
    """Sends each record to the branch of the first predicate that is true, or to the default branch."""

    def __init__(self, node: Split, task: Context) -> None:
        super().__init__(node, task)
        self._predicates = [self.function(predicate) for predicate in node.predicates]

    def on_record(self, record: Record) -> None:
        taken = next((n for n, predicate in enumerate(self._predicates) if predicate(record)), len(self._predicates))
        for branch in self.next:
            if branch.node.position == taken:
                branch.on_record(record)
