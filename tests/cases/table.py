"""The words that case tables are written in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pprint import pformat
from typing import Any

from headrace.dsl import Builder, KStream
from headrace.model.durations import duration_ms
from headrace.model.record import Record
from headrace.passes.handle_failures import handle_failures
from headrace.passes.pipeline import rewrite
from headrace.passes.write_changelogs import write_changelogs
from headrace.plan.graph import Plan
from headrace.plan.handlers import FAIL, Handler
from headrace.serde import STRING

DEFAULT_TS = 1_000
_PARTS = ("key", "value", "ts", "headers")

Topology = Callable[[Builder], object]
Row = tuple[Any, ...]
"""(key, value), (key, value, ts) or (key, value, ts, headers)."""


@dataclass(frozen=True)
class Put:
    """Records for a topic."""

    topic: str
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Clock:
    """The time of day moves on."""

    by_ms: int


@dataclass(frozen=True)
class Restart:
    """The application is closed and starts again with its state."""


@dataclass(frozen=True)
class Expectation:
    """What must be in a topic after a batch."""

    topic: str

    def check(self, new: Sequence[Record], all_: Sequence[Record]) -> None:
        """Raise what differs; `new` are the records of the last batch, `all_` those of all batches."""
        raise NotImplementedError


@dataclass(frozen=True)
class Every(Expectation):
    """Each record of the batch, in order or, where none is promised, in any."""

    rows: tuple[Row, ...]
    ordered: bool = True

    def check(self, new: Sequence[Record], all_: Sequence[Record]) -> None:  # noqa: ARG002
        # As many parts of each record are compared as the row has that belongs to it.
        width = [len(row) for row in self.rows] if self.ordered else [max(map(len, self.rows), default=2)] * len(new)
        width += [2] * (len(new) - len(width))
        found = [_row(record)[:parts] for record, parts in zip(new, width, strict=False)]
        same = found == list(self.rows) if self.ordered else Counter(found) == Counter(self.rows)
        assert same, _difference(self.topic, list(self.rows), found)


@dataclass(frozen=True)
class Settled(Expectation):
    """The last value of every key so far; a record without a value removes its key."""

    table: dict[Any, Any]

    def check(self, new: Sequence[Record], all_: Sequence[Record]) -> None:  # noqa: ARG002
        found = {record.key: record.value for record in all_}
        found = {key: value for key, value in found.items() if value is not None}
        assert found == self.table, _difference(self.topic, self.table, found)


def texts(app: Builder, topic: str = "in") -> KStream[str, str]:
    """A stream of texts with texts for keys."""
    return app.stream(topic, key=STRING, value=STRING)


def put(topic: str, *rows: Row) -> Put:
    """Write records to a topic."""
    return Put(topic, tuple(_record(row) for row in rows))


def clock(by: str) -> Clock:
    """Let the time of day move on, before the records of the batch come."""
    return Clock(duration_ms("by", by, "a case"))


def restart() -> Restart:
    """Close the application and start it again, before the time of day moves on and the records of the batch come.

    On Spark that is so between any two batches.
    """
    return Restart()


def every(topic: str, *rows: Row) -> Every:
    """The batch writes exactly these records, in this order."""
    return Every(topic, rows)


def in_any_order(topic: str, *rows: Row) -> Every:
    """The batch writes exactly these records."""
    return Every(topic, rows, ordered=False)


def settled(topic: str, table: dict[Any, Any]) -> Settled:
    """All that was written so far, read as a table."""
    return Settled(topic, table)


@dataclass(frozen=True)
class Batch:
    """Records that arrive together, and what must be there after them."""

    puts: tuple[Put, ...]
    expectations: tuple[Expectation, ...]
    clock_ms: int = 0
    """How far the time of day moves on before the records come."""
    restart: bool = False
    """Whether the application starts again before that."""


Step = Put | Clock | Restart | Expectation


class Case:
    """A topology, and batches of input with what must come out. A step behind an expectation begins a new batch.

    The application is called `app`, which the topics of changelogs begin with.
    """

    def __init__(
        self,
        title: str,
        topology: Topology,
        *steps: Step,
        emit: str = "settled",
        on_error: Handler = FAIL,
        app: str | None = None,
    ) -> None:
        self.title, self.topology, self.emit, self.on_error, self._app = title, topology, emit, on_error, app
        self.id = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        assert steps and isinstance(steps[-1], Expectation), f"{title}: put, then expect"
        self.batches = tuple(_batches(steps))

    def handled(self, on_error: Handler) -> Case:
        """The same with something else to become of records that fail."""
        case = copy(self)
        case.on_error = on_error
        return case

    def declared(self) -> Builder:
        """Its topology, declared."""
        builder = Builder(self._app or self.id, emit=self.emit, on_error=self.on_error)
        self.topology(builder)
        return builder

    def plan(self) -> Plan:
        """The plan of its topology, with changelogs where something is expected of one: all others write the less."""
        plan = rewrite(self.declared().plan(), last=handle_failures)
        logged = any(topic.endswith("-changelog") for topic in self.outputs)
        return replace(write_changelogs(plan) if logged else plan, named=frozenset())

    @property
    def outputs(self) -> list[str]:
        """The topics that something is expected of."""
        return list(dict.fromkeys(one.topic for batch in self.batches for one in batch.expectations))

    def __str__(self) -> str:
        return self.id


def _batches(steps: Sequence[Step]) -> Iterator[Batch]:
    """A batch begins at a restart, where the time of day moves on, and with the first `put` behind an expectation."""
    batch = Batch((), ())
    for step in steps:
        begins = isinstance(step, Clock | Restart) or (isinstance(step, Put) and batch.expectations)
        if begins and batch != Batch((), ()):
            yield batch
            batch = Batch((), ())
        match step:
            case Clock(by_ms=by_ms):
                batch = replace(batch, clock_ms=by_ms)
            case Restart():
                batch = replace(batch, restart=True)
            case Put():
                batch = replace(batch, puts=(*batch.puts, step))
            case Expectation():
                batch = replace(batch, expectations=(*batch.expectations, step))
    yield batch


def _record(row: Row) -> Record:
    return Record(**({"ts": DEFAULT_TS} | dict(zip(_PARTS, row, strict=False))))


def _row(record: Record) -> Row:
    return tuple(getattr(record, part) for part in _PARTS)


def _difference(topic: str, wanted: object, found: object) -> str:
    return f"topic {topic}\nwanted:\n{pformat(wanted)}\nfound:\n{pformat(found)}"
