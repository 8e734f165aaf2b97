"""The word count demo: text flows in, a table of words grows."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

import headrace as hr
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.runtime.console import lines_on_console

LINES, COUNTS = "demo-word-count-lines", "demo-word-count-counts"
BURSTS, LINES_A_BURST, PAUSE_S = 20, 500, 0.5
SHOWN = 12


def word_count(checkpoint: Path) -> hr.App:
    """The application: this is all there is to it."""
    app = hr.App("demo-word-count", checkpoint=checkpoint)
    (
        app.stream(LINES, value=hr.STRING)
        .flat_map_values(lambda line: line.lower().replace(".", "").replace(",", "").replace(":", "").split())
        .group_by(lambda _, word: word)
        .count(store="counts")
        .to_stream()
        .to(COUNTS, key=hr.STRING, value=hr.INT64)
    )
    return app


def run() -> None:
    """Feed the text, show the counts as they grow, end with the final table."""
    console = Console()
    with (
        lines_on_console(),
        tempfile.TemporaryDirectory(prefix="headrace-demo-") as checkpoint,
        EmbeddedBroker().join(say=lambda text: click.echo(text, err=True)) as broker,
    ):
        topics = Topics(broker.address)
        left_over = [topic for topic, there in topics.partitions([LINES, COUNTS]).items() if there]
        if left_over:
            topics.delete(left_over)
        for topic in (LINES, COUNTS):
            topics.create(topic)
        lines = list(_text())
        expected = Counter(word for line in lines for word in _words(line))
        with word_count(Path(checkpoint)) as app:
            started = time.monotonic()
            counts = _watch(app, broker.address, lines, expected.total(), console)
            seconds = time.monotonic() - started
    same = "just what Python's Counter says" if counts == expected else "NOT what Python's Counter says"
    console.print(_table(counts, "The most frequent words"))
    click.echo(
        f"{expected.total():,} words in {len(lines):,} lines, {len(counts)} different ones: {same}; {seconds:.0f} s"
    )
    click.echo(f"The counts are in a topic: headrace topics consume {COUNTS} --key string --value int64")
    if counts != expected:
        sys.exit(1)


def _text() -> Iterator[str]:
    river = Path(__file__).with_name("river.txt").read_text("utf-8").splitlines()
    chance = random.Random(1)
    for _ in range(BURSTS * LINES_A_BURST):
        yield chance.choice(river)


def _words(line: str) -> list[str]:
    return line.lower().replace(".", "").replace(",", "").replace(":", "").split()


def _watch(app: hr.App, address: str, lines: list[str], total: int, console: Console) -> dict[str, int]:
    """Feed in the background; follow the counts until they add up to all words."""
    feeder = threading.Thread(target=_feed, args=(address, lines), daemon=True)
    feeder.start()
    counts: dict[str, int] = {}
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for record in consume(address, None, COUNTS, follow=True):
            counts[str(hr.STRING.decode(record.key))] = _number(record.value)
            if console.is_terminal:
                live.update(_table(counts, f"{sum(counts.values()):,} of {total:,} words"))
            if sum(counts.values()) == total:
                break
            if app.state.ended:
                app.wait()
                break
    feeder.join()
    return counts


def _feed(address: str, lines: list[str]) -> None:
    for start in range(0, len(lines), LINES_A_BURST):
        burst = lines[start : start + LINES_A_BURST]
        produce(address, None, LINES, (NewRecord(value=line.encode()) for line in burst))
        time.sleep(PAUSE_S)


def _number(value: bytes | None) -> int:
    number = hr.INT64.decode(value)
    assert isinstance(number, int)
    return number


def _table(counts: dict[str, int], title: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("word")
    table.add_column("count", justify="right")
    table.add_column("")
    top = Counter(counts).most_common(SHOWN)
    widest = top[0][1] if top else 1
    for word, count in top:
        table.add_row(word, f"{count:,}", "█" * max(1, round(30 * count / widest)))
    return table
