"""Runs a topology record by record, in this process."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from headrace.dsl.builder import Builder
from headrace.errors import NotInTopology
from headrace.model.clock import SetClock
from headrace.model.durations import Duration, duration_ms
from headrace.model.record import Header, RawRecord, Record
from headrace.model.windows import Windowed
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import SessionWindowed, Source, StreamJoin, To
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.origin import origin
from headrace.serde import Serde
from headrace.state.keyvalue import KeyValueStore
from headrace.state.timed import TimedStores
from headrace.state.versioned import VersionedStore
from headrace.task.loop import Loop


class TopologyTestDriver:
    """An application without Spark and without a broker.

    Every topic has one partition. Each piped record is a batch of its own, so a table sends on its change at once;
    records piped inside `with driver.batch():` are one batch together. All records go through the serdes of the
    application, in and out, and what is written to a topic that the application also reads comes back as a batch of
    its own. A failure is raised by the `pipe` that caused it.

    >>> import headrace as hr
    >>> app = hr.App("shout")
    >>> app.stream("words", value=hr.STRING).map_values(lambda word: word.upper()).to("loud")
    >>> driver = hr.testing.TopologyTestDriver(app)
    >>> driver.input("words").pipe(value="hey")
    >>> driver.output("loud").read_all()
    [(None, 'HEY')]
    """

    def __init__(self, app: Builder, *, now_ms: int = 0) -> None:
        self._clock = SetClock(now_ms)
        self._loop = Loop(rewrite(app.plan()), self._clock)
        self._offsets: Counter[str] = Counter()
        self._batch: list[RawRecord] | None = None
        self._written: dict[str, deque[tuple[To, RawRecord]]] = {}

    def input(self, topic: str) -> InputTopic:
        """A topic that the application reads."""
        return InputTopic(self, topic, self._loop.source_of(topic))

    def output(self, topic: str) -> OutputTopic:
        """A topic that the application writes."""
        targets = [node.topic for node in self._loop.plan.of(To)]
        named = [target for target in targets if isinstance(target, str)]
        if topic not in named and len(named) == len(targets):  # one that is chosen per record may be any
            raise NotInTopology(self._loop.plan.app, f"write topic {topic!r}", _there("writes", named))
        return OutputTopic(self._written.setdefault(topic, deque()))

    def store(self, name: str) -> Any:
        """What a table holds now; a store of processors as they see it themselves."""
        of_processors = self._loop.processor_store(name)
        if of_processors is not None:
            return of_processors
        for node in self._loop.plan.nodes:
            if isinstance(node, WindowedAggregation) and node.store == name:
                return WindowedStoreView(node, self._loop.windows)
            if getattr(node, "store", None) == name and not isinstance(node, StreamJoin):
                history = getattr(node, "history_ms", None)
                timed = self._loop.windows
                store = self._loop.stores[name] if history is None else timed.versioned_store(name, history)
                return StoreView(store, node.output().key.store_serde())
        raise NotInTopology(self._loop.plan.app, f"have a store {name!r}", _there("has", self._loop.stores))

    @property
    def dropped(self) -> dict[tuple[str, str], int]:
        """How many records were dropped, by node and reason: `{("counts", "no key"): 2}`."""
        return self._loop.drops.counts()

    def advance_wall_clock(self, by: Duration) -> None:
        """Let the time of day move on: `"30s"` or a `timedelta`. It stands still otherwise."""
        self._clock.set(self._clock.now_ms() + duration_ms("by", by, origin()))
        self._run([])

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make one batch of all records that are piped inside."""
        collected: list[RawRecord] = []
        self._batch = collected
        try:
            yield
        finally:
            self._batch = None
        self._run(collected)

    def _pipe(self, raw: RawRecord) -> None:
        if self._batch is not None:
            self._batch.append(raw)
        else:
            self._run([raw])

    def _run(self, batch: list[RawRecord]) -> None:
        while True:
            written = self._loop.run(batch)
            for node, raw in written:
                self._written.setdefault(raw.topic, deque()).append((node, raw))
            batch = [self._placed(raw) for _, raw in written if self._reads(raw.topic)]
            if not batch:
                return

    def _placed(self, raw: RawRecord) -> RawRecord:
        """The record at the end of its topic."""
        offset = self._offsets[raw.topic]
        self._offsets[raw.topic] += 1
        return RawRecord(
            topic=raw.topic,
            key=raw.key,
            value=raw.value,
            ts=raw.ts,
            headers=raw.headers,
            origin=f"{raw.topic}-0@{offset}",
        )

    def _reads(self, topic: str) -> bool:
        try:
            self._loop.source_of(topic)
        except NotInTopology:
            return False
        return True


class InputTopic:
    """A topic that the application reads."""

    def __init__(self, driver: TopologyTestDriver, topic: str, source: Source) -> None:
        self._driver, self._topic, self._source = driver, topic, source

    def pipe(self, value: Any = None, *, key: Any = None, ts: int = 0, headers: Iterable[Header] = ()) -> None:
        """Write a record at the end of the topic, and let the application handle it; `ts` is in milliseconds."""
        raw = RawRecord(
            topic=self._topic,
            key=self._source.key.encode(key),
            value=self._source.value.encode(value),
            ts=ts,
            headers=tuple(headers),
        )
        self._driver._pipe(self._driver._placed(raw))


class OutputTopic:
    """A topic that the application writes. What was read once is not read again."""

    def __init__(self, written: deque[tuple[To, RawRecord]]) -> None:
        self._written = written

    def read_records(self) -> list[Record]:
        """All new records, with their timestamps and headers."""
        records = []
        while self._written:
            node, raw = self._written.popleft()
            key, value = node.key.decode(raw.key), node.value.decode(raw.value)
            records.append(Record(key=key, value=value, ts=raw.ts, headers=raw.headers, origin=raw.origin))
        return records

    def read_all(self) -> list[tuple[Any, Any]]:
        """All new records as (key, value)."""
        return [(record.key, record.value) for record in self.read_records()]

    def read_table(self) -> dict[Any, Any]:
        """The last value of each key among all new records; a record without a value removes its key."""
        table: dict[Any, Any] = {}
        for key, value in self.read_all():
            if key is None:
                raise ValueError(f"a record without a key is no row of a table, its value is {value!r}")
            table[key] = value
        return {key: value for key, value in table.items() if value is not None}


class StoreView:
    """The contents of a store, for reading."""

    def __init__(self, store: KeyValueStore | VersionedStore, key: Serde[Any]) -> None:
        self._store, self._key = store, key

    def get(self, key: Any) -> Any:
        """The value of a key, None if there is none."""
        stored = self._store.get(self._key.write(key))
        return None if stored is None else stored.value

    def all(self) -> dict[Any, Any]:
        """Every key with its value."""
        return {self._key.read(key): stored.value for key, stored in self._store.items()}


class WindowedStoreView(StoreView):
    """The contents of a store of windows or sessions: its keys are `Windowed`."""

    def __init__(self, node: WindowedAggregation, stores: TimedStores) -> None:
        self._node, self._stores = node, stores

    def get(self, key: Any) -> Any:
        """The value of a key and window, None if there is none."""
        return self.all().get(key)

    def all(self) -> dict[Any, Any]:
        """Every key and window with its value, by the time and then the bytes of the key."""
        node, key = self._node, self._node.key_serde()
        if isinstance(node, SessionWindowed):
            sessions = self._stores.session_store(node.store, node.retention_ms).ended(0, _LATEST)
            return {Windowed(key.read(data), *session): stored.value for data, session, stored in sessions}
        size = node.windowed_serde()
        windows = self._stores.window_store(node.store, node.retention_ms).fetch_all(0, _LATEST)
        return {size.read(data + start.to_bytes(8, "big")): stored.value for data, start, stored in windows}


_LATEST = 2**63 - 1


def _there(has: str, names: Iterable[str]) -> str:
    return f"it {has} {', '.join(names) or 'none'}"
