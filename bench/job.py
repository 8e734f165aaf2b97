"""What a program is told, and what it tells back: a line of JSON each way, for all languages alike."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Job:
    """A workload to run from one topic to another."""

    workload: str
    address: str
    source: str
    table: str
    target: str
    folder: str
    records: int
    inner: int
    """Records that go through a repartition: with these, those of the table and the source, all is done."""
    rows: int
    live: bool
    """Run until stdin ends, instead of to the end of the source."""
    every: bool
    """Write every change, instead of the last of many."""
    once: bool = False
    """In transactions, instead of at least once."""
    member: str = ""
    """A name by which the broker knows a consumer again after a restart, if it is to have one."""
    port: int = 0
    """Where its store can be asked, if it is to be."""

    def text(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> Job:
        return Job(**json.loads(text))


def tell(mark: str, **more: object) -> None:
    """A mark for whoever measures: `polling` when records are about to be read, `read` with how many have been."""
    print(json.dumps({"mark": mark, "at": time.time(), **more}), flush=True)


def await_end_of_stdin() -> None:
    """Return when a live run is to end."""
    while sys.stdin.read(1):
        pass
