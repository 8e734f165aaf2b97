"""One program, started in the ways there are: each goes on with the state of the others.

Each behind one other; with HEADRACE_EVERYTHING each behind each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce

pytestmark = pytest.mark.spark

PROGRAM = """
from dataclasses import dataclass, field
from enum import Enum

import headrace as hr
import headrace.functions as F
from listed import joined


class Kind(Enum):
    SHORT = "short"
    LONG = "long"


@dataclass
class Seen:
    words: list[str] = field(default_factory=list)
    kinds: dict[str, Kind] = field(default_factory=dict)


class Untold:
    def __init__(self) -> None:
        self.seen = Seen()


def add(key, word, untold):
    seen = untold.seen
    seen.words = joined(seen.words, word)
    seen.kinds[word] = Kind.LONG if len(word) > 4 else Kind.SHORT
    return untold


def kept(key: str, word: str, seen: Seen) -> Seen:
    for one in [word]:
        seen.words = joined(seen.words, one)
    return seen


def shown(untold) -> str:
    return " ".join(f"{{word}}:{{untold.seen.kinds[word].value}}" for word in untold.seen.words)


app = hr.App({source!r}, broker={broker!r}, checkpoint={checkpoint!r}, queryable=False, serve=None)
words = app.stream({source!r}, value=hr.STRING).group_by_key()
words.aggregate(Untold, add, store="untold").to_stream().map_values(shown).to({target!r}, value=hr.STRING)
words.aggregate(Seen, kept, store="seen").to_stream().map_values(lambda seen: F.join(" ", seen.words)).to({target!r})

if __name__ == "__main__":
    app.run(until="latest")
"""
SIBLING = """
def joined(words: list[str], word: str) -> list[str]:
    return [*words, word]
"""
RUN = ["-m", "headrace.cli.main", "run", "--until", "latest"]
FILE, PYTHON, MODULE = [*RUN, "seen_words.py"], ["seen_words.py"], [*RUN, "seen_words:app"]
"""The ways to start it: `headrace run FILE`, `python FILE`, `headrace run MODULE:APP`."""

STARTS = [
    (FILE, "mill"),
    (PYTHON, "weir"),
    (MODULE, "sluice"),
    (FILE, "flume"),
    (MODULE, "race"),
    (PYTHON, "penstock"),
    (FILE, "wheel"),
]
"""Each way behind each other one, and the word that is sent before; the first three have each of them."""


def test_every_way_goes_on_with_the_state_of_the_others(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """What has a schema, and what can only be pickled: classes and functions are of the program itself."""
    source, target = topic("words", partitions=1), topic("seen", partitions=1)
    (tmp_path / "listed.py").write_text(SIBLING)
    (tmp_path / "seen_words.py").write_text(
        PROGRAM.format(broker=broker, checkpoint=str(tmp_path / "kept"), source=source, target=target)
    )
    environment = {**os.environ, "HEADRACE_DATA_DIR": str(tmp_path / "data")}
    seen: list[str] = []
    for way, word in STARTS if os.environ.get("HEADRACE_EVERYTHING") else STARTS[:3]:
        produce(broker, None, source, [NewRecord(key=b"k", value=word.encode())])
        command = [sys.executable, *way]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (way, done.stderr)
        seen.append(word)
        told = " ".join(f"{one}:{'long' if len(one) > 4 else 'short'}" for one in seen)
        last = [hr.STRING.decode(one.value) for one in consume(broker, None, target)][-2:]
        assert sorted(map(str, last)) == sorted([told, " ".join(seen)]), way
