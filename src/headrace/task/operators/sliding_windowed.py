"""Aggregations over sliding windows."""

from __future__ import annotations

from typing import Any

from headrace.model.record import Record
from headrace.model.windows import Window
from headrace.plan.nodes import SideOutput, SlidingWindowed
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.windowed import WindowStoreOperator


class SlidingWindowedOperator(WindowStoreOperator[SlidingWindowed]):
    """One task's share of an aggregation over sliding windows.

    Two windows belong to a record at t: the left one, [t - difference, t], and the right one, which begins at t + 1
    and is there once a later record falls into it. The time stored with a window is that of its latest record, from
    which follows what lies in a window that has to be made.
    """

    def __init__(self, node: SlidingWindowed, task: Context) -> None:
        super().__init__(node, task)
        self._taken = False
        """Whether a window has taken the record at hand."""
        self._changes: list[tuple[Window, Any, Any, int]] = []
        """The windows that it changes: new value, old value and time."""

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        if record.value is None:
            return self.drop(Reason.NO_VALUE, record)
        self.advance(record)
        difference = self.node.windows.difference_ms
        is_open = self.node.windows.open(self.window(record.ts), self.stream_time)
        if not is_open or not self.store.keeps(record.ts - 2 * difference):
            return self.drop(Reason.LATE, record)
        key, self._taken, self._changes = self.key.write(record.key), False, []
        if record.ts < difference:
            self._early(record, key)
        else:
            self._regular(record, key)
        # All windows before the first is stored: a record that fails in one is in none.
        for window, new, old, ts in self._changes:
            self.replace(record, key, window, new, old, ts, self.stored(key, window))
        if not self._taken:
            self.send_to_side_output(SideOutput.LATE, record)
        return None

    def window(self, start: int) -> Window:
        return self.node.windows.starting(start)

    def _regular(self, record: Record, key: bytes) -> None:
        """Add a record to the windows around it, from the latest back, and make those that are missing."""
        difference, ts = self.node.windows.difference_ms, record.ts
        nearby = list(self.store.fetch(key, max(0, ts - 2 * difference), ts + 1))
        starts, has_left, left, right, previous = set(), False, None, None, None
        for start, stored in reversed(nearby):
            starts.add(start)
            end = start + difference
            if start == ts + 1:
                continue
            if end > ts:
                right = right or stored
                self._update(record, start, stored)
            elif end == ts:
                has_left = True
                self._update(record, start, stored)
                if stored.ts >= ts:  # a record of this very time was here before: all of its windows are made
                    return
                previous = stored.ts
            else:
                left, previous = stored, stored.ts
                break
        if previous is not None and previous + 1 not in starts and previous + 1 + difference >= ts:
            self._update(record, previous + 1, self._empty(ts))
        if not has_left:
            reaches = left is not None and previous is not None and ts - difference <= previous
            self._update(record, ts - difference, Stored(left.value, ts) if left and reaches else self._empty(ts))
        self._make_right(record, right, starts)

    def _early(self, record: Record, key: bytes) -> None:
        """Add a record of the first `difference` ms of 1970: the left windows of all those are the one from 0 on."""
        ts, starts, first, right, previous = record.ts, set(), None, None, None
        for start, stored in list(self.store.fetch(key, 0, ts + 1)):
            starts.add(start)
            if start == 0:
                first = stored
                previous = stored.ts if stored.ts < ts else None
            elif start <= ts:
                right = stored
                self._update(record, start, stored)
        if right is None and first is not None and first.ts > ts:
            right = first  # nothing lies before the record: all that the window holds comes after it
        self._make_right(record, right, starts)
        if previous is not None and previous + 1 not in starts:
            self._update(record, previous + 1, self._empty(ts))
        self._update(record, 0, first or self._empty(ts))

    def _make_right(self, record: Record, right: Stored | None, starts: set[int]) -> None:
        """Make the window after the record, if it is missing and what the latest window holds lies in it."""
        start = record.ts + 1
        if start not in starts and right is not None and right.ts > record.ts:
            self._changes.append((self.window(start), right.value, None, right.ts))

    def _update(self, record: Record, start: int, stored: Stored) -> None:
        """Add a record to a window that begins at `start` and has held `stored` so far, unless it is over."""
        window = self.window(start)
        if not self.node.windows.open(window, self.stream_time):
            return self.task.drops.add(self.node.name, Reason.LATE)  # of this window, another may take it
        self._taken = True
        ts = record.ts if stored.value is None else max(record.ts, stored.ts)
        self._changes.append((window, self.fold.add(record, stored.value), stored.value, ts))
        return None

    def _empty(self, ts: int) -> Stored:
        return Stored(self.fold.initial(), ts)
