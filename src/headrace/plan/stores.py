"""Declared stores of processors, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from headrace.model.durations import duration_text
from headrace.plan.state import Keys, StateDescriptor, TableRows, Versions, WindowLists, WindowRows
from headrace.serde import Serde

S = TypeVar("S")


@dataclass(frozen=True, kw_only=True)
class Store(Generic[S]):
    """Declared store: its name and the types of its entries. `S` is the class that a processor sees."""

    name: str
    key: Serde[Any]
    value: Serde[Any] | None
    """None for the store of a table: its values are kept as they are."""

    kind: ClassVar[str]

    @property
    def state(self) -> StateDescriptor:
        """State of the store, which is in Python: processors are the user's own code."""
        raise NotImplementedError(type(self).__name__)

    @property
    def lasts(self) -> tuple[str, ...]:
        """Lifetimes of what it holds, in words."""
        return ()

    def __str__(self) -> str:
        value = "rows" if self.value is None else self.value
        return f"{self.kind} {self.name} ({self.key}, {value})"


@dataclass(frozen=True, kw_only=True)
class KeyValue(Store[S]):
    """The last value of every key."""

    timestamped: bool = False
    """Whether each value has a time beside it."""

    ttl_ms: int | None = None
    """How long a key lasts that is not put again; None for as long as it is."""

    kind = "key-value store"

    @property
    def state(self) -> StateDescriptor:
        return TableRows(store=self.name, ttl_ms=self.ttl_ms, keys=Keys.OF_USER)

    @property
    def lasts(self) -> tuple[str, ...]:
        return () if self.ttl_ms is None else (f"ttl {duration_text(self.ttl_ms)}",)

    def __str__(self) -> str:
        return super().__str__() + ("" if self.ttl_ms is None else f", ttl {duration_text(self.ttl_ms)}")


@dataclass(frozen=True, kw_only=True)
class Versioned(Store[S]):
    """Versioned store: every version of a key, as far back as the history."""

    history_ms: int

    kind = "versioned store"

    @property
    def state(self) -> StateDescriptor:
        return Versions(store=self.name, history_ms=self.history_ms, keys=Keys.OF_USER)

    @property
    def lasts(self) -> tuple[str, ...]:
        return (f"history {duration_text(self.history_ms)}",)

    def __str__(self) -> str:
        return f"{super().__str__()}, history {duration_text(self.history_ms)}"


@dataclass(frozen=True, kw_only=True)
class Window(Store[S]):
    """The last value of every key and window, or with `duplicates` every value, for a while."""

    size_ms: int
    retention_ms: int
    duplicates: bool = False
    timestamped: bool = False

    kind = "window store"

    @property
    def state(self) -> StateDescriptor:
        kind = WindowLists if self.duplicates else WindowRows
        return kind(store=self.name, kept_ms=self.retention_ms, keys=Keys.OF_USER)

    @property
    def lasts(self) -> tuple[str, ...]:
        return (f"size {duration_text(self.size_ms)}", f"retention {duration_text(self.retention_ms)}")

    def __str__(self) -> str:
        return f"{super().__str__()}, size {duration_text(self.size_ms)}, kept {duration_text(self.retention_ms)}"


@dataclass(frozen=True, kw_only=True)
class Session(Store[S]):
    """The last value of every key and session, for a while."""

    retention_ms: int

    kind = "session store"

    @property
    def state(self) -> StateDescriptor:
        return WindowRows(store=self.name, kept_ms=self.retention_ms, sessions=True, keys=Keys.OF_USER)

    @property
    def lasts(self) -> tuple[str, ...]:
        return (f"retention {duration_text(self.retention_ms)}",)

    def __str__(self) -> str:
        return f"{super().__str__()}, kept {duration_text(self.retention_ms)}"


@dataclass(frozen=True)
class StoreConnection:
    """A store that a processor can reach."""

    store: Store[Any]
    read_only: bool = False
    """Whether another node keeps it: of a global store, or of one that is a topic's copy."""

    everywhere: bool = False
    """Whether every task has it in full."""
