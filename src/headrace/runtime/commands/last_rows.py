"""The last records of all keys of a topic, on disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from headrace.log.records import ConsumedRecord


@dataclass(frozen=True)
class LastRow:
    """The last record of a key, which has a value."""

    key: bytes
    value: bytes
    partition: int
    ts: int


class LastRows:
    """The rows of a table by its topic, in the order of their keys."""

    def __init__(self, file: Path, records: Iterable[ConsumedRecord]) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")  # it is read once and thrown away
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE rows (key BLOB PRIMARY KEY, value BLOB, partition INT, ts INT) WITHOUT ROWID")
        self._db.execute("BEGIN")
        for record in records:
            self._take(record)
        self._db.execute("COMMIT")

    def _take(self, record: ConsumedRecord) -> None:
        if record.value is None:
            self._db.execute("DELETE FROM rows WHERE key = ?", (record.key,))
        elif record.key is not None:
            row = record.key, record.value, record.partition, record.timestamp_ms or 0
            self._db.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", row)

    def __len__(self) -> int:
        (count,) = self._db.execute("SELECT count(*) FROM rows").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[LastRow]:
        return (LastRow(*row) for row in self._db.execute("SELECT * FROM rows ORDER BY key"))

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
