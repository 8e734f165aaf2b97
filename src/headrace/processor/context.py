"""Processor context: forwarding, timers, stores, the time, and metadata of the record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeVar, overload

from headrace.model.durations import Duration
from headrace.model.record import Record
from headrace.plan.stores import Store
from headrace.processor.records import RecordMetadata
from headrace.serde import Serde

S = TypeVar("S")

By = Literal["stream", "wall"]
"""Which time a punctuator goes by: that of the records, or that of the clock on the wall."""

Punctuator = Callable[[int], object]
"""Called with the time that it is by then, in milliseconds."""


class Scheduled(Protocol):
    """A punctuator that is called again and again."""

    def cancel(self) -> None:
        """Never call it again."""
        ...


class ProcessorContext(ABC):
    """The world of one processor in one task; it stays the same from `init` to `close`."""

    @abstractmethod
    def forward(self, record: Record, to: str | None = None) -> None:
        """Send a record to everyone who reads from this processor, or only to the node of this name."""

    @abstractmethod
    def schedule(self, interval: Duration, call: Punctuator, *, by: By = "stream") -> Scheduled:
        """Call a function at every interval, until it is cancelled.

        By "stream" the times are multiples of the interval in stream time, and the first call comes as soon as stream
        time is known: only records move it on. By "wall" the first call comes one interval from now. Times that were
        missed are one call.
        """

    @abstractmethod
    def commit(self) -> None:
        """Ask for what was done to be made safe soon. It is at the end of the batch in any case."""

    @overload
    def store(self, store: Store[S]) -> S: ...

    @overload
    def store(self, store: str) -> Any: ...

    @abstractmethod
    def store(self, store: Store[S] | str) -> Any:
        """A store that this processor is connected to, by its name or by what it was declared with."""

    @property
    @abstractmethod
    def metadata(self) -> RecordMetadata | None:
        """Topic, partition and offset of the record at hand; None where there is none, as in a punctuator."""

    @property
    @abstractmethod
    def task_id(self) -> str:
        """Id of this task: `subtopology_partition`."""

    @property
    @abstractmethod
    def app_id(self) -> str:
        """Id of this application."""

    @property
    @abstractmethod
    def now_ms(self) -> int:
        """The time of day."""

    @property
    @abstractmethod
    def stream_time_ms(self) -> int:
        """The latest time of all records that the task has taken; -1 before the first."""

    @property
    @abstractmethod
    def key_serde(self) -> Serde[Any] | None:
        """The serde of the keys that come in, if there is one for their type."""

    @property
    @abstractmethod
    def value_serde(self) -> Serde[Any] | None:
        """The serde of the values that come in, if there is one for their type."""


def name_of(store: Store[Any] | str) -> str:
    """The name of a store."""
    return store if isinstance(store, str) else store.name
