"""Joins of tables by a key inside the values of the left."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from headrace.errors import NoSerde
from headrace.model.record import Record
from headrace.plan.nodes import ForeignKeyJoin, ForeignKeyMatch, ForeignKeySubscribe
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator, Way
from headrace.task.operators.tables import KeptRows, KeptTable, silent, table_of


class Ask(Enum):
    """Request of a left row to the row of a foreign key."""

    FORGET = "forget"
    """Take it off, no answer."""

    LEAVE = "leave"
    """Take it off, and answer that there is nothing."""

    ANSWER = "answer"
    """Put it on, and answer in any case: an earlier result may have to go."""

    ANSWER_IF_THERE = "answer if there"
    """Put it on, and answer if there is a row."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A left row at a foreign key: its key, and its value when it asked."""

    key: Any
    value: Any
    ask: Ask


@dataclass(frozen=True, slots=True)
class Answer:
    """The right row for a left one that had this value when it asked."""

    asked: Any
    row: Any


class ForeignKeySubscribeOperator(Operator[ForeignKeySubscribe]):
    """Sends the subscriptions of each change of the left table."""

    def __init__(self, node: ForeignKeySubscribe, task: Context) -> None:
        super().__init__(node, task)
        self._on = self.function(node.on)
        self._key = node.output().key.store_serde()

    def on_record(self, record: Record) -> None:
        change = record.value
        if not change.is_latest and self.node.upstream.versioned:
            return self.drop(Reason.OLDER, record)
        if change.old is None and change.new is None:
            return None
        old = self.attempted(record, lambda: self._foreign(record, change.old), again=True)
        new = self._foreign(record, change.new)
        if self.node.keep_all:
            if old is not None and self._differ(old, new):
                self._send(record, old, Ask.FORGET)
            return self._send(record, new, Ask.ANSWER)
        if new is None:
            if change.new is not None:
                self.drop(Reason.NO_KEY, record)
            return None if old is None else self._send(record, old, Ask.LEAVE)
        if old is not None and self._differ(old, new):
            self._send(record, old, Ask.FORGET)
            return self._send(record, new, Ask.ANSWER)
        return self._send(record, new, Ask.ANSWER_IF_THERE)

    def _differ(self, old: Any, new: Any) -> bool:
        # As in stores, by their bytes: nan does not differ from nan.
        return new is None or self._key.write(old) != self._key.write(new)

    def _foreign(self, record: Record, value: Any) -> Any:
        return None if value is None else self._on(record.with_value(value))

    def _send(self, record: Record, foreign: Any, ask: Ask) -> None:
        self.forward(record.with_pair(foreign, Subscription(record.key, record.value.new, ask)))


class ForeignKeyMatchOperator(Operator[ForeignKeyMatch]):
    """Keeps the subscriptions of each foreign key, and answers them."""

    def __init__(self, node: ForeignKeyMatch, task: Context) -> None:
        super().__init__(node, task)
        self._store = task.stores.key_value_store(node.store)
        self._foreign = node.table.output().key.store_serde()
        self._primary = node.left.key.store_serde()

    def way(self, position: int) -> Way:
        return self._on_row if position else self.on_record

    def on_record(self, record: Record) -> None:
        subscription: Subscription = record.value
        row = None if record.key is None else table_of(self, 1).sent(record.key)
        if record.key is not None:
            self._note(record, subscription)
        if subscription.ask is Ask.FORGET or (subscription.ask is Ask.ANSWER_IF_THERE and row is None):
            return
        value = None if row is None or subscription.ask is Ask.LEAVE else row.value
        ts = record.ts if row is None else max(record.ts, row.ts)
        self._answer(record, subscription, value, ts)

    def _on_row(self, record: Record) -> None:
        if not record.value.is_latest and self.node.table.versioned:
            return self.drop(Reason.OLDER, record)
        known = self._store.get(self._foreign.write(record.key))
        for _, (key, value) in sorted(known.value.items(), key=lambda one: one[0]) if known else ():
            self._answer(record, Subscription(key, value, Ask.ANSWER), record.value.new, record.ts)
        return None

    def _note(self, record: Record, subscription: Subscription) -> None:
        foreign, primary = self._foreign.write(record.key), self._primary.write(subscription.key)
        known = self._store.get(foreign)
        others = {key: one for key, one in known.value.items() if key != primary} if known else {}
        if subscription.ask not in (Ask.FORGET, Ask.LEAVE):
            others[primary] = subscription.key, subscription.value
        self._store.put(foreign, others or None, ts=record.ts)

    def _answer(self, record: Record, subscription: Subscription, row: Any, ts: int) -> None:
        answer = Answer(subscription.value, row)
        self.forward(Record(key=subscription.key, value=answer, ts=ts, headers=record.headers, origin=record.origin))


class ForeignKeyJoinOperator(KeptTable[ForeignKeyJoin]):
    """Joins each answer with the left row, if it is still the one that asked."""

    def __init__(self, node: ForeignKeyJoin, task: Context) -> None:
        super().__init__(node, task)
        self._joiner = self.computed(node.joiner, "key", "left", "right")
        self._value = node.left.output().value
        self._rows = KeptRows(self, node.kept_rows, node.emit)

    def way(self, position: int) -> Way:
        return silent if position else self.on_record

    def on_record(self, record: Record) -> None:
        answer: Answer = record.value
        current = table_of(self, 1).sent(record.key)
        left = current and current.value
        if not self._same(left, answer.asked):
            return self.drop(Reason.OUTDATED, record)
        value = None
        if left is not None and (answer.row is not None or self.node.keep_all):
            value = self.attempted(record.with_value(left), lambda: self._joiner(record, record.key, left, answer.row))
        before = self._rows.get(record.key)
        self._rows.put(record, value, record.ts, before and before.value)
        return None

    def _same(self, left: Any, asked: Any) -> bool:
        """Whether a row is the one that asked: by its bytes if need be, for it may hold a nan."""
        if left is asked or left == asked:
            return True
        if left is None or asked is None:
            return False
        try:
            serde = self._value.default_serde()
            return serde.write(left) == serde.write(asked)
        except (NoSerde, ValueError):
            return False
