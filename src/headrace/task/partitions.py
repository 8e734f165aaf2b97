"""Partitions of records that are written, chosen by functions of users."""

from __future__ import annotations

from typing import Any

from headrace.expr import Bound
from headrace.model.record import Record
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator

_DEFAULT = (None,)


class Partitions:
    """Partitions that a partitioner chose: one, several, or none at all, which drops the record.

    None stands for the usual one, by the key.
    """

    def __init__(self, operator: Operator[Any], partitioner: Bound | None) -> None:
        self._operator = operator
        symbols = ("topic", "key", "value", "partitions")
        self._compute = None if partitioner is None else operator.computed(partitioner, *symbols)

    def of(self, record: Record, topic: str) -> tuple[int | None, ...]:
        """The partitions of a record, each once; None for the usual one."""
        if self._compute is None:
            return _DEFAULT
        count = self._operator.task.partitions(topic)
        if count == 0:
            return _DEFAULT  # there is no such topic, which is told when it is written to
        chosen = self._compute(record, topic, record.key, record.value, count)
        if chosen is None:
            return _DEFAULT
        partitions = tuple(dict.fromkeys(self._listed(record, chosen)))
        for one in partitions:
            if type(one) is not int or not 0 <= one < count:
                raise self._operator.failed(record, f"{one!r} is none of the partitions of {topic}, 0 to {count - 1}")
        if not partitions:
            self._operator.drop(Reason.NO_PARTITION, record)
        return partitions

    def _listed(self, record: Record, chosen: Any) -> list[Any]:
        try:
            return [chosen] if isinstance(chosen, int) else list(chosen)
        except TypeError as exc:
            raise self._operator.failed(record, f"{chosen!r} is neither a partition nor a list of them") from exc
