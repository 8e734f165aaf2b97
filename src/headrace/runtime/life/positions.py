"""Positions of an application, published as those of its consumer group: there lag is seen."""

from __future__ import annotations

import time
from collections.abc import Callable

from headrace.errors import PositionsRefused
from headrace.log.groups import Group
from headrace.model.batches import Batch

_REPEAT_S = 24 * 3_600.0
"""After so long positions are said again: a broker forgets those of groups that it has not heard of for a week."""


class Positions:
    """Publishes the positions behind each batch, once, and again now and then."""

    def __init__(self, group: Group, say: Callable[[str], None]) -> None:
        self._group, self._say = group, say
        self._told, self._told_at, self._refused = -1, 0.0, ""

    def publish(self, batch: Batch) -> None:
        """The application has come so far."""
        if batch.number == self._told and time.monotonic() - self._told_at < _REPEAT_S:
            return
        try:
            self._group.publish(batch.positions)
            self._told, self._told_at = batch.number, time.monotonic()
        except PositionsRefused as error:
            if error.what != self._refused:  # lag is not seen then, and nothing else is wrong
                self._refused = error.what
                self._say(error.what)
