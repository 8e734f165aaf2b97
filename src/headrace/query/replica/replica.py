"""Replica of one partition of one store, copied from its changelog into RocksDB.

The offset to go on from is written together with the entries. There is no log beside the tables: what a crash takes
away is read from the changelog once more.
"""

from __future__ import annotations

import json
import shutil
import struct
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rocksdict import (
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    Options,
    Rdict,
    RdictIter,
    WriteBatch,
    WriteBufferManager,
    WriteOptions,
)

from headrace.log.follow import Read
from headrace.query.catalogue import Queryable
from headrace.query.replica.key_order import OWN, Layout, Span
from headrace.query.requests import Entry

_MB = 1024 * 1024
_FORM = 1
"""Of what lies on disk; another one is built anew."""

_MARK = OWN + b"mark"
_ORIGIN = OWN + b"origin"
_MARK_FORM = struct.Struct(">qd")
_TS = 8
_LETTERS = 8
_ts_of = struct.Struct(">q").unpack_from
_OLDEST_S = 12 * 3600
"""Kafka forgets a day after a deletion that there was one: a copy that is older may hold what is long gone."""

_MARK_AGAIN_S = 3600
"""Seldom enough that RocksDB has nothing to do in a replica that does not change."""

_IN_USE = "lock hold by current process"


class ReplicaMemory:
    """Memory that all replicas of an instance share."""

    def __init__(self) -> None:
        self.cache = Cache(64 * _MB)
        self.buffers = WriteBufferManager(128 * _MB, allow_stall=False)

    def options(self) -> Options:
        """Options of RocksDB for one replica."""
        options = Options(raw_mode=True)
        options.create_if_missing(True)
        tables = BlockBasedOptions()
        tables.set_block_cache(self.cache)
        tables.set_bloom_filter(10, False)
        options.set_block_based_table_factory(tables)
        options.set_write_buffer_manager(self.buffers)
        options.set_write_buffer_size(16 * _MB)
        options.set_compression_type(DBCompressionType.lz4())
        options.set_max_open_files(64)
        options.set_keep_log_file_num(1)
        options.set_max_log_file_size(_MB)
        options.set_stats_dump_period_sec(0)
        return options


@dataclass(frozen=True)
class Origin:
    """Origin of a replica: the changelog that it was copied from. A copy of any other is thrown away."""

    topic: str
    topic_id: str
    partition: int
    key: str
    form: int = _FORM

    @property
    def life(self) -> str:
        """Letters that tell this changelog from others that had its name, or will have it."""
        return "".join(filter(str.isalnum, self.topic_id))[:_LETTERS]


class View:
    """View of a replica at one time. For one thread at a time: `lock` is for those who share it."""

    def __init__(self, replica: Replica, pinned: RdictIter) -> None:
        self.lock = threading.Lock()
        self._layout, self._pinned = replica.layout, pinned

    def entries(self, span: Span, *, reverse: bool = False, after: bytes | None = None) -> Iterator[Entry]:
        """Entries in order, behind the key `after`."""
        key = self._layout.key
        for placed, data in self._items(span, reverse, after):
            yield Entry(key(placed), data[_TS:], _ts_of(data)[0])

    def places(self) -> Iterator[None]:
        """One placeholder for each entry, without reading any."""
        span, pinned = self._layout.span(), self._pinned
        valid, key, move = pinned.valid, pinned.key, pinned.next
        pinned.seek(span.low)
        while valid() and key() < span.high:
            yield None
            move()
        pinned.status()

    def _items(self, span: Span, reverse: bool, after: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        low, high = span.low, span.high
        if after is not None:
            placed = self._layout.place(after)
            low, high = (low, min(high, placed)) if reverse else (max(low, placed + b"\x00"), high)
        return _backwards(self._pinned, low, high) if reverse else _onwards(self._pinned, low, high)


# An iterator sees what was there when it was made, as often as it is moved. The library has snapshots too, but their
# iterators see what is written later; and bounds, of which it takes the lower one for the upper.


def _onwards(pinned: RdictIter, low: bytes, high: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Read options for the range from `low` on, before `high`."""
    valid, key, value, move = pinned.valid, pinned.key, pinned.value, pinned.next
    pinned.seek(low)
    while valid() and (placed := key()) < high:
        yield placed, value()
        move()
    pinned.status()


def _backwards(pinned: RdictIter, low: bytes, high: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Before `high`, down to `low`."""
    valid, key, value, move = pinned.valid, pinned.key, pinned.value, pinned.prev
    pinned.seek_for_prev(high)
    if valid() and key() == high:
        move()
    while valid() and (placed := key()) >= low:
        yield placed, value()
        move()
    pinned.status()


class Replica:
    """A copy that one thread writes and any may read."""

    def __init__(
        self, directory: Path, store: Queryable, layout: Layout, origin: Origin, memory: ReplicaMemory
    ) -> None:
        self.store, self.layout, self.origin = store, layout, origin
        self.foreign = 0
        """How many records were left out because their keys are none of the store's."""

        self.anew = ""
        """Why what was there could not be used; empty if there was nothing, or it could."""

        self.next = 0
        """The offset of the changelog to go on from, 0 also for its beginning."""

        self._marked = 0.0
        self._writing = WriteOptions()
        self._writing.disable_wal = True  # type: ignore[method-assign, assignment]  # its stubs have a method
        self._options = memory.options()
        self._db = self._open(directory)

    # -- reading

    def get(self, key: bytes, placed: bytes) -> Entry | None:
        """The entry of a key, which is placed already."""
        found: bytes | None = self._db.get(placed)
        if found is None:
            return None
        return Entry(key, found[_TS:], _ts_of(found)[0])

    def now(self) -> View:
        """View of the replica now, whatever is written later."""
        return View(self, self._db.iter())

    # -- writing

    def write(self, records: list[Read], behind: int) -> None:
        """Take over records of the changelog; `behind` is the offset to go on from afterwards."""
        batch = WriteBatch(raw_mode=True)
        put, delete, place, foreign = batch.put, batch.delete, self.layout.place, 0
        for _, ts, key, value in records:
            try:
                placed = place(key)  # type: ignore[arg-type]  # one that is not there is none of the store's either
            except (ValueError, TypeError):
                foreign += 1
                continue
            if value is None:
                delete(placed)
            else:
                put(placed, ts.to_bytes(_TS, "big", signed=True) + value)
        self._mark(batch, behind, time.time())
        self._db.write(batch, self._writing)
        self.next = behind
        self.foreign += foreign

    def flush(self, current: float) -> None:
        """What was written survives a crash soon; `current` is when it was known to be what its changelog is."""
        if current - self._marked > _MARK_AGAIN_S:
            self._note(current)
        self._db.flush(wait=False)

    def close(self, current: float = 0.0) -> None:
        """Let go; the next one goes on from here."""
        try:
            if current > self._marked:
                self._note(current)
            self._db.close()
        except Exception:
            del self._db  # it cannot be written, as to a full disk: what is lacking is read once more

    def destroy(self) -> None:
        """Let go, and leave nothing behind."""
        path = self._db.path()
        self.close()
        shutil.rmtree(path, ignore_errors=True)

    def _note(self, current: float) -> None:
        batch = WriteBatch(raw_mode=True)
        self._mark(batch, self.next, current)
        self._db.write(batch, self._writing)

    def _mark(self, batch: WriteBatch, behind: int, current: float) -> None:
        self._marked = current
        batch.put(_MARK, _MARK_FORM.pack(behind, current))

    # -- what is there

    def _open(self, directory: Path) -> Rdict:
        """Open a copy that can be continued, or an empty one. Names differ: an old one may still be read."""
        for there in sorted(directory.iterdir()) if directory.exists() else ():
            try:
                db = Rdict(str(there), self._options)
                if json.loads(db.get(_ORIGIN) or "null") == vars(self.origin):
                    self.anew = self._take_up(db)
                    if not self.anew:
                        return db
                db.close()  # else of a changelog that is not there any more: nobody misses it
            except Exception as exc:
                if _IN_USE in str(exc):
                    raise  # somebody here still reads it: it is whole, and tried again
                self.anew = f"it cannot be read: {exc}"
            shutil.rmtree(there)
        path = directory / uuid.uuid4().hex[:8]
        path.mkdir(parents=True)
        db = Rdict(str(path), self._options)
        batch = WriteBatch(raw_mode=True)
        batch.put(_ORIGIN, json.dumps(vars(self.origin)).encode())
        self._mark(batch, 0, time.time())
        db.write(batch, self._writing)
        return db

    def _take_up(self, db: Rdict) -> str:
        """Continue the copy that is there; the reason, if it cannot be continued."""
        mark = db.get(_MARK)
        if mark is None:
            return "it is not whole"
        offset, at = _MARK_FORM.unpack(mark)
        if abs(time.time() - at) > _OLDEST_S:
            return f"it is older than {_OLDEST_S // 3600} hours"
        self.next, self._marked = offset, at
        return ""
