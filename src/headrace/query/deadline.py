"""Deadline of an answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from headrace.errors import AnswerTookTooLong
from headrace.query.requests import Question

T = TypeVar("T")

_LOOK_EVERY = 1_024


class ScanDeadline:
    """Deadline of a scan. A few entries are always read: what has waited long is still answered."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._end = time.monotonic() + question.timeout_ms / 1000

    def among(self, entries: Iterable[T]) -> Iterator[T]:
        """Go through entries as long as there is time; then AnswerTookTooLong."""
        for number, entry in enumerate(entries, 1):
            if not number % _LOOK_EVERY and time.monotonic() > self._end:
                raise AnswerTookTooLong(self._question.store, self._question.timeout_ms)
            yield entry
