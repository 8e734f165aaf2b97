"""Store views of tests: to look into, not to change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from operator import itemgetter
from typing import Any, ClassVar

from headrace.errors import WrongKey, WrongStore
from headrace.model.entries import entries_of
from headrace.model.moments import Moment, moment_ms
from headrace.model.rows import Rows
from headrace.model.windows import Windowed
from headrace.plan.nodes import Node
from headrace.plan.origin import origin
from headrace.plan.state import Keys, StateDescriptor, TableRows, Versions, WindowRows
from headrace.serde import Serde, SessionWindowedSerde, TimeWindowedSerde
from headrace.state.keyvalue import KeyValueStore, Stored
from headrace.state.stores import Stores
from headrace.state.versioned import VersionedStore
from headrace.task.loop import Loop

_LATEST = 2**63 - 1


class StoreView(ABC):
    """The contents of a store, for reading. What only another kind of store can tell is refused."""

    kind: ClassVar[str]
    has: ClassVar[str]

    def __init__(self, name: str) -> None:
        self._name = name

    @abstractmethod
    def get(self, key: Any, as_of: Moment | None = None) -> Any:
        """The value of a key, None if there is none; of a versioned table also as it was at a time."""

    @abstractmethod
    def all(self) -> Mapping[Any, Any]:
        """Every key with its value."""

    def range(self, first: Any = None, last: Any = None) -> Mapping[Any, Any]:  # noqa: ARG002
        """The keys of a table from one to another, both inside, by their bytes; None for no bound."""
        raise self._lacks("range()")

    def fetch(self, key: Any, first: Moment = 0, last: Moment = _LATEST) -> Mapping[Windowed[Any], Any]:  # noqa: ARG002
        """The windows of one key that begin from one time to another, both inside; of sessions, that end there."""
        raise self._lacks("fetch()")

    def __len__(self) -> int:
        return len(self.all())

    def __repr__(self) -> str:
        return f"<store {self._name!r}: {self.all()!r}>"

    def _repr_html_(self) -> str:
        return Rows.first(self.all(), self._name)._repr_html_()

    def _lacks(self, asked: str) -> WrongStore:
        return WrongStore(self._name, self.kind, asked, origin(), self.has)

    def _written(self, serde: Serde[Any], key: Any) -> bytes:
        try:
            return serde.write(key)
        except ValueError as exc:
            raise WrongKey(self._name, str(exc), origin()) from exc


class KeyValueView(StoreView):
    """The contents of a key-value store, in the order of the bytes of the keys."""

    kind, has = "a table", "get(key), all() and range(first, last)"

    def __init__(self, name: str, stores: Sequence[KeyValueStore | VersionedStore], key: Serde[Any]) -> None:
        super().__init__(name)
        self._stores, self._key = stores, key

    def get(self, key: Any, as_of: Moment | None = None) -> Any:
        if as_of is not None:
            raise self._lacks("as_of")
        data = self._written(self._key, key)
        return _value(store.get(data) for store in self._stores)

    def all(self) -> Mapping[Any, Any]:
        return self.range()

    def range(self, first: Any = None, last: Any = None) -> Mapping[Any, Any]:
        low, high = (None if bound is None else self._written(self._key, bound) for bound in (first, last))
        return entries_of(
            (self._key.read(key), stored.value)
            for key, stored in merge(*(store.items() for store in self._stores), key=itemgetter(0))
            if (low is None or low <= key) and (high is None or key <= high)
        )


class VersionedView(KeyValueView):
    """The contents of a versioned store: the newest version of every key, and what it was before."""

    kind, has = "a versioned table", "get(key, as_of=...), all() and range(first, last)"
    _stores: Sequence[VersionedStore]

    def get(self, key: Any, as_of: Moment | None = None) -> Any:
        """The value of a key now, or as it was at a time; None if there was none, or it is not known any more."""
        moment = None if as_of is None else moment_ms("as_of", as_of, origin())
        data = self._written(self._key, key)
        return _value(store.get(data, moment) for store in self._stores)


class WindowView(StoreView):
    """The contents of a store of windows or sessions: its keys are `Windowed`."""

    kind, has = "windowed", "get(Windowed(key, start, end)), fetch(key, first, last) and all()"

    def __init__(
        self, state: WindowRows, key: TimeWindowedSerde | SessionWindowedSerde, stores: Sequence[Stores]
    ) -> None:
        super().__init__(state.store)
        self._state, self._key, self._stores = state, key, stores

    def get(self, key: Any, as_of: Moment | None = None) -> Any:
        """The value of a `Windowed` key, None if there is none."""
        if as_of is not None:
            raise self._lacks("as_of")
        self._written(self._key, key)
        at = key.end if self._state.sessions else key.start
        return self.fetch(key.key, at, at).get(key)

    def fetch(self, key: Any, first: Moment = 0, last: Moment = _LATEST) -> Mapping[Windowed[Any], Any]:
        data = self._written(self._key.inner, key)
        return self._found(moment_ms("first", first, origin()), moment_ms("last", last, origin()), data)

    def all(self) -> Mapping[Windowed[Any], Any]:
        """Every key and window with its value, by the time and then the bytes of the key."""
        return self._found(0, _LATEST)

    def _found(self, first: int, last: int, wanted: bytes | None = None) -> Mapping[Windowed[Any], Any]:
        return entries_of(
            (Windowed(self._key.inner.read(key), start, end), value)
            for key, start, end, value in self._entries(first, last)
            if wanted is None or key == wanted
        )

    def _entries(self, first: int, last: int) -> Iterator[tuple[bytes, int, int, Any]]:
        """Entries by time, then by the bytes of the key, whichever partition they are in."""
        return merge(*(self._of(stores, first, last) for stores in self._stores), key=self._order)

    def _of(self, stores: Stores, first: int, last: int) -> Iterator[tuple[bytes, int, int, Any]]:
        state = self._state
        if isinstance(self._key, SessionWindowedSerde):
            for key, session, stored in stores.session_store(state.store, state.kept_ms).ended(first, last):
                yield key, session.start, session.end, stored.value
        else:
            for key, start, stored in stores.window_store(state.store, state.kept_ms).fetch_all(first, last):
                yield key, start, start + self._key.size_ms, stored.value

    @staticmethod
    def _order(entry: tuple[bytes, int, int, Any]) -> tuple[int, int, bytes]:
        key, start, end, _ = entry
        return end, start, key


def views(loop: Loop, partition: int | None = None) -> dict[str, StoreView]:
    """The stores of a plan by their names, of one partition or of all.

    A store that several nodes share is seen as the first of them has it. What only its operator can read is not seen.
    """
    parts = loop.partitions if partition is None else [loop.partitions[partition]]
    stores = [part.stores for part in parts]
    found: dict[str, StoreView] = {}
    for node in loop.plan.nodes:
        for state in node.state:
            if state.kept_in in node.shared_stores and state.kept_in not in found:
                view = _view(stores[:1] if node.facts.everywhere else stores, node, state)
                found |= {} if view is None else {state.kept_in: view}
    return found


def _view(stores: Sequence[Stores], node: Node, state: StateDescriptor) -> StoreView | None:
    key = node.output().key
    match state:
        case WindowRows(keys=Keys.OF_INPUT):
            assert isinstance(key.serde, TimeWindowedSerde | SessionWindowedSerde), "a table of windows has them"
            return WindowView(state, key.serde, stores)
        case Versions(keys=Keys.OF_RESULT, store=name):
            versions = [one.versioned_store(name, state.history_ms) for one in stores]
            return VersionedView(name, versions, key.store_serde())
        case TableRows(keys=Keys.OF_RESULT, store=name):
            return KeyValueView(name, [one.key_value_store(name) for one in stores], key.store_serde())
    return None


def _value(found: Iterable[Stored | None]) -> Any:
    """The value of the partition that has one."""
    return next((stored.value for stored in found if stored is not None), None)
