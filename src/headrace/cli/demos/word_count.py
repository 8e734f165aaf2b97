"""The word count demo: text flows in, a table of words grows."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

import headrace as hr
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.runtime.console import lines_on_console, on_stop_signal

LINES, COUNTS = "demo-word-count-lines", "demo-word-count-counts"
BURSTS, LINES_A_BURST, PAUSE_S = 20, 500, 0.5
SHOWN = 12
TICK_S = 0.1


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
        counts, seconds = _run(word_count(Path(checkpoint)), broker.address, lines, expected.total(), console)
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


class _Beside(threading.Thread):
    """Work beside the main thread, which looks now and then whether it failed; never waited for at the end."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._failure: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except BaseException as exc:
            self._failure = exc

    def check(self) -> None:
        if self._failure is not None:
            raise self._failure


def _run(app: hr.App, address: str, lines: list[str], total: int, console: Console) -> tuple[dict[str, int], float]:
    """Start the application, watch it, close it; Ctrl-C too lets it finish its batch and give everything back."""
    stop = threading.Event()
    with on_stop_signal(stop.set):
        try:
            # Beside: Ctrl-C must not cut into a conversation with the JVM.
            starting = _Beside(app.start)
            while starting.is_alive():
                starting.join(TICK_S)
                if stop.is_set():
                    app.say("stopping when it has started ...")
                    starting.join()
            starting.check()
            started = time.monotonic()
            counts = _watch(app, address, lines, total, console, stop)
            seconds = time.monotonic() - started
        finally:
            app.close()
    if stop.is_set():
        raise KeyboardInterrupt
    return counts, seconds


def _watch(
    app: hr.App, address: str, lines: list[str], total: int, console: Console, stop: threading.Event
) -> dict[str, int]:
    """Feed and follow in the background, until the counts add up to all words or there is no hope of it."""
    over = threading.Event()
    counts: dict[str, int] = {}
    workers = (_Beside(lambda: _feed(address, lines, over)), _Beside(lambda: _follow(address, counts, over)))
    try:
        with Live(console=console, refresh_per_second=8, transient=True) as live:
            while sum(counts.copy().values()) != total and not stop.wait(TICK_S):
                for worker in workers:
                    worker.check()
                if app.wait(0):
                    break
                if console.is_terminal:
                    shown = counts.copy()
                    live.update(_table(shown, f"{sum(shown.values()):,} of {total:,} words"))
    finally:
        over.set()
    return counts


def _feed(address: str, lines: list[str], over: threading.Event) -> None:
    for start in range(0, len(lines), LINES_A_BURST):
        burst = lines[start : start + LINES_A_BURST]
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
