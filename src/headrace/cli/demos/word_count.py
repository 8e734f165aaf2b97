"""The word count demo: text flows in, a table of words grows, and a page with it."""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.console import Group as Stacked
from rich.live import Live
from rich.table import Table

import headrace as hr
from headrace.cli.demos.stage import TICK_S, Background, page_of, running, with_page
from headrace.log.broker import EmbeddedBroker
from headrace.log.groups import Group
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.plan.nodes.to import changelog_topic
from headrace.runtime.life.console import lines_on_console

LINES, COUNTS = "demo-word-count-lines", "demo-word-count-counts"
LINES_A_BURST, PAUSE_S = 500, 0.5
SHOWN = 12


@dataclass
class Fed:
    """Records that were written to the topic."""

    lines: int = 0
    words: Counter[str] = field(default_factory=Counter)


def word_count(checkpoint: Path) -> hr.App:
    """The application: this is all there is to it."""
    app = hr.App("demo-word-count", checkpoint=checkpoint)
    (
        app.stream(LINES, value=hr.STRING)
        .flat_map_values(_words)
        .group_by(lambda _, word: word)
        .count(store="counts")
        .to_stream()
        .to(COUNTS, key=hr.STRING, value=hr.INT64)
    )
    return app


def run(seconds: float | None) -> None:
    """Feed the text, show the counts as they grow, end with the final table; without `seconds`, with Ctrl-C."""
    console, fed = Console(), Fed()
    with (
        lines_on_console(),
        tempfile.TemporaryDirectory(prefix="headrace-demo-") as checkpoint,
        EmbeddedBroker().join(say=lambda text: click.echo(text, err=True)) as broker,
    ):
        app = word_count(Path(checkpoint))
        _forget(app, broker.address)
        for topic in (LINES, COUNTS):
            Topics(broker.address).create(topic)
        with running(with_page(app)) as stop:
            started = time.monotonic()
            counts = _watch(app, broker.address, _bursts(seconds), fed, console, stop)
            took_s = time.monotonic() - started
    if stop.is_set() and seconds is not None:
        raise KeyboardInterrupt
    console.print(_table(counts, "The most frequent words"))
    if seconds is not None:
        _confirm(counts, fed, took_s)


def _forget(app: hr.App, address: str) -> None:
    """Remove what another run of the demo has left on the broker."""
    topics = Topics(address)
    named = topics.partitions([LINES, COUNTS, changelog_topic(app.id, "counts")])
    topics.delete([topic for topic, there in named.items() if there])
    Group(app.id, address).delete()


def _confirm(counts: dict[str, int], fed: Fed, took_s: float) -> None:
    same = "just what Python's Counter says" if counts == fed.words else "NOT what Python's Counter says"
    click.echo(
        f"{fed.words.total():,} words in {fed.lines:,} lines, {len(counts)} different ones: {same}; {took_s:.0f} s"
    )
    click.echo(f"The counts are in a topic: headrace topics consume {COUNTS} --key string --value int64")
    if counts != fed.words:
        sys.exit(1)


def _bursts(seconds: float | None) -> Iterator[list[str]]:
    river = Path(__file__).with_name("river.txt").read_text("utf-8").splitlines()
    chance = random.Random(1)
    for _ in itertools.count() if seconds is None else range(max(1, round(seconds / PAUSE_S))):
        yield [chance.choice(river) for _ in range(LINES_A_BURST)]


def _words(line: str) -> list[str]:
    return line.lower().replace(".", "").replace(",", "").replace(":", "").split()


def _watch(
    app: hr.App, address: str, bursts: Iterator[list[str]], fed: Fed, console: Console, stop: threading.Event
) -> dict[str, int]:
    """Feed and follow in the background, until the counts add up to all words or there is no hope of it."""
    over = threading.Event()
    counts: dict[str, int] = {}
    feeding = Background(lambda: _feed(address, bursts, fed, over))
    following = Background(lambda: _follow(address, counts, over))
    try:
        with Live(console=console, refresh_per_second=8, transient=True) as live:
            while not stop.wait(TICK_S) and not app.wait(0):
                feeding.check()
                following.check()
                shown = counts.copy()
                if not feeding.is_alive() and sum(shown.values()) == fed.words.total():
                    break
                if console.is_terminal:
                    title = f"{sum(shown.values()):,} words so far"
                    live.update(Stacked(_table(shown, title), f"The counts live: {page_of(app, 'word-count')}"))
    finally:
        over.set()
    return counts


def _feed(address: str, bursts: Iterator[list[str]], fed: Fed, over: threading.Event) -> None:
    for burst in bursts:
        fed.lines += len(burst)
        for line in burst:
            fed.words.update(_words(line))
        produce(address, None, LINES, (NewRecord(value=line.encode()) for line in burst))
        if over.wait(PAUSE_S):
            return


def _follow(address: str, counts: dict[str, int], over: threading.Event) -> None:
    for record in consume(address, None, COUNTS, follow=True):
        if over.is_set():
            return
        counts[str(hr.STRING.decode(record.key))] = _number(record.value)


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
