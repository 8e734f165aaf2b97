"""Changelog of all state of an application: one topic, with a partition for each task."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict

from headrace.engine.changelogs import STATE, state_topic
from headrace.engine.layout import CheckpointLayout
from headrace.engine.ownership import found_changelogs, refuse_foreign, settings_of
from headrace.engine.python.state import LoggedState
from headrace.errors import CheckpointBroken
from headrace.log.input import Fetched, Log
from headrace.log.topics import Topics

_LAYOUT = b"layout"
"""The key of the record that holds the layout, in the first partition; no name of cells is so long as it would say."""

_PATIENCE_S = 30.0


class StateLog:
    """Reads the changelog of state into the states of tasks, and again what came behind."""

    def __init__(self, app: str, topics: Topics, kafka: Mapping[str, str], make: Callable[[], LoggedState]) -> None:
        self.topic = state_topic(app)
        self._app, self._topics = app, topics
        self._known: CheckpointLayout | None = None
        found = found_changelogs(app, {STATE: self.topic}, topics).get(STATE)
        if found is not None:
            refuse_foreign(found, {}, topics)
        self.found = found is not None
        self.states = [make() for _ in range(found.partitions if found is not None else 0)]
        self._log = Log(topics.address, kafka, app, self.topic, len(self.states)) if self.states else None
        self.records = 0
        """How many records were read."""

    def read(self) -> CheckpointLayout | None:
        """Read up to the end that the topic has now; the layout, if there is one."""
        if self._log is not None:
            ends = self._topics.end_offsets(self.topic, committed=True)
            for record in self._log.read(ends, _PATIENCE_S):
                self._take(record)
        return self._known

    def create(self, tasks: int, make: Callable[[], LoggedState]) -> None:
        """Make the topic of an application that begins."""
        self._topics.create(self.topic, tasks, settings_of(self._app, STATE))
        self.states = [make() for _ in range(tasks)]

    def close(self) -> list[LoggedState]:
        """All was read: the states."""
        if self._log is not None:
            self._log.close()
            self._log = None
        for state in self.states:
            state.restored()
        return self.states

    def _take(self, record: Fetched) -> None:
        self.records += 1
        if record.key == _LAYOUT:
            self._known = self._layout(record.value)
        elif record.key is not None:
            self.states[record.place[1]].restore(record.key, record.value)

    def _layout(self, data: bytes | None) -> CheckpointLayout:
        try:
            return CheckpointLayout(**json.loads(data or b""))
        except (ValueError, TypeError) as error:
            raise CheckpointBroken(f"topic {self.topic}", str(error)) from None


def layout_record(layout: CheckpointLayout) -> tuple[bytes, bytes]:
    """The key and the value of the record that holds a layout."""
    return _LAYOUT, json.dumps(asdict(layout)).encode()
