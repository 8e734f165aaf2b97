"""One program, started in the ways there are."""

from __future__ import annotations

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

import headrace as hr
from listed import joined


@dataclass
class Seen:
    words: list[str] = field(default_factory=list)


def add(key: str, word: str, seen: Seen) -> Seen:
    return Seen(joined(seen.words, word)) if word not in seen.words else seen


app = hr.App({source!r}, broker={broker!r}, checkpoint={checkpoint!r}, queryable=False, serve=None)
words = app.stream({source!r}, value=hr.STRING).group_by_key()
words.aggregate(Seen, add, store="seen").to_stream().map_values(lambda seen: hr.join(" ", seen.words)).to({target!r})

if __name__ == "__main__":
    app.run(until="latest")
"""
SIBLING = """
def joined(words: list[str], word: str) -> list[str]:
    return [*words, word]
"""


@pytest.fixture
def program(broker: str, topic: Callable[..., str], tmp_path: Path) -> tuple[Path, str, str]:
    """A file with an application, the topic it reads, after which it is called, and the one it writes."""
    source, target = topic("words", partitions=1), topic("seen", partitions=1)
    (tmp_path / "listed.py").write_text(SIBLING)
    file = tmp_path / "seen_words.py"
    file.write_text(PROGRAM.format(broker=broker, checkpoint=str(tmp_path / "kept"), source=source, target=target))
    return file, source, target


def test_a_program_with_classes_and_functions_of_its_own(broker: str, program: tuple[Path, str, str]) -> None:
    file, source, target = program
    produce(broker, None, source, [NewRecord(key=b"k", value=b"mill"), NewRecord(key=b"k", value=b"weir")])
    command = [sys.executable, "-m", "headrace.cli.main", "run", str(file), "--until", "latest"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [hr.STRING.decode(one.value) for one in consume(broker, None, target)][-1] == "mill weir"
