"""Mock processor context, to test a processor alone."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, overload

from headrace.errors import OptionInvalid, StoreNotConnected
from headrace.model.durations import Duration, duration_ms
from headrace.model.record import Record
from headrace.plan.origin import origin
from headrace.plan.stores import Store, StoreConnection
from headrace.processor.base import checked_record
from headrace.processor.context import By, ProcessorContext, Punctuator, name_of
from headrace.processor.opened import OpenedStore
from headrace.processor.opening import opened
from headrace.processor.records import RecordMetadata
from headrace.serde import Serde
from headrace.state.state import MemoryState
from headrace.state.stores import Stores

S = TypeVar("S")


class Forwarded(NamedTuple):
    """A record that was sent on, and to whom; None for everyone."""

    record: Record
    to: str | None


class ScheduledCall:
    """A punctuator that was scheduled; the test calls it."""

    def __init__(self, interval_ms: int, by: By, call: Punctuator) -> None:
        self.interval_ms, self.by, self._call = interval_ms, by, call
        self.cancelled = False

    def call(self, now_ms: int) -> None:
        """Make the call, as if its time had come."""
        self._call(now_ms)

    def cancel(self) -> None:
        """Never call it again."""
        self.cancelled = True


class MockProcessorContext(ProcessorContext):
    """Remembers what a processor does, and says what the test tells it to.

    >>> import headrace as hr
    >>> class Shout(hr.Processor[str, str]):
    ...     def process(self, record: hr.Record) -> None:
    ...         self.context.forward(record.with_value(record.value.upper()))
    >>> context, shout = hr.testing.MockProcessorContext(), Shout()
    >>> shout.init(context)
    >>> shout.process(hr.Record(key="a", value="hey", ts=5))
    >>> [sent.record.value for sent in context.forwarded()]
    ['HEY']
    """

    def __init__(
        self,
        *,
        app_id: str = "test",
        task_id: str = "0_0",
        now_ms: int = 0,
        key_serde: Serde[Any] | None = None,
        value_serde: Serde[Any] | None = None,
    ) -> None:
        self._app_id, self._task_id = app_id, task_id
        self._now_ms, self._stream_time_ms = now_ms, -1
        self._key_serde, self._value_serde = key_serde, value_serde
        self._metadata: RecordMetadata | None = None
        self._forwarded: list[Forwarded] = []
        self._kept = Stores(MemoryState())
        self._stores: dict[str, OpenedStore[Any, Any]] = {}
        self.scheduled: list[ScheduledCall] = []
        """The punctuators that were scheduled, in order."""
        self.committed = False
        """Whether the processor asked for a commit."""

    # -- what the test tells it

    def set_metadata(self, topic: str, partition: int = 0, offset: int = 0) -> None:
        """Say where the record at hand lies."""
        self._metadata = RecordMetadata(topic, partition, offset)

    def clear_metadata(self) -> None:
        """No record is at hand, as in a punctuator."""
        self._metadata = None

    def set_now(self, now_ms: int) -> None:
        """Make it this time of day."""
        self._now_ms = now_ms

    def set_stream_time(self, stream_time_ms: int) -> None:
        """Make it this stream time."""
        self._stream_time_ms = stream_time_ms

    def add_store(self, store: Store[S]) -> S:
        """Connect the processor to a store, which is empty and in memory."""
        made: Any = opened(StoreConnection(store), self._kept, lambda: self._stream_time_ms)
        self._stores[store.name] = made
        return made  # type: ignore[no-any-return]

    # -- what the processor did

    def forwarded(self, to: str | None = None) -> list[Forwarded]:
        """Records that were forwarded so far; with a name, those to the child of that name."""
        return [one for one in self._forwarded if to is None or one.to in (None, to)]

    def reset_forwards(self) -> None:
        """Forget what was sent on."""
        self._forwarded.clear()

    def reset_commit(self) -> None:
        """Forget that a commit was asked for."""
        self.committed = False

    # -- what the processor sees

    def forward(self, record: Record, to: str | None = None) -> None:
        self._forwarded.append(Forwarded(checked_record(record), to))

    def schedule(self, interval: Duration, call: Punctuator, *, by: By = "stream") -> ScheduledCall:
        here = origin()
        if by not in ("stream", "wall"):
            raise OptionInvalid("by", by, '"stream" or "wall"', here)
        made = ScheduledCall(duration_ms("interval", interval, here, least=1), by, call)
        self.scheduled.append(made)
        return made

    def commit(self) -> None:
        self.committed = True

    @overload
    def store(self, store: Store[S]) -> S: ...

    @overload
    def store(self, store: str) -> Any: ...

    def store(self, store: Store[S] | str) -> Any:
        name = name_of(store)
        if name not in self._stores:
            raise StoreNotConnected(name, "under test", list(self._stores))
        return self._stores[name]

    @property
    def metadata(self) -> RecordMetadata | None:
        return self._metadata

    @property
    def task_id(self) -> str:
        return self._task_id

    @property
    def app_id(self) -> str:
        return self._app_id

    @property
    def now_ms(self) -> int:
        return self._now_ms

    @property
    def stream_time_ms(self) -> int:
        return self._stream_time_ms

    @property
    def key_serde(self) -> Serde[Any] | None:
        return self._key_serde

    @property
    def value_serde(self) -> Serde[Any] | None:
        return self._value_serde
