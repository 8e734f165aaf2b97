"""The music demo: plays flow in, charts move. The application is `music_charts`."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table

import headrace as hr
from headrace.cli.demos.listeners import Listeners, all_songs
from headrace.cli.demos.music_charts import Chart, Play, Song, app
from headrace.cli.demos.stage import TICK_S, Background, page_of, running, with_page
from headrace.engine.place import Place
from headrace.errors import NobodyAnswers, PositionNotReached
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, produce
from headrace.log.topics import Topics
from headrace.runtime.life.console import lines_on_console

PLAYS, SONGS, CHARTS = "plays", "songs", "charts"
OVERALL = "all"
PLAYS_A_BURST, PAUSE_S = 75, 0.5
PARTITIONS = 2

Charts = Mapping[str, Chart]


def run(seconds: float | None) -> None:
    """Have songs played and show the charts as they move; end with charts that a recount confirms.

    Without `seconds` it goes on until Ctrl-C. It has a broker of its own, so its topics are in nobody's way.
    """
    console, listeners = Console(), Listeners(all_songs())
    with ExitStack() as held:
        held.enter_context(lines_on_console())
        place = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="headrace-demo-")))
        embedded = EmbeddedBroker(place / "broker")
        held.callback(embedded.stop)
        address = held.enter_context(embedded.join(say=lambda text: click.echo(text, err=True))).address
        app.broker, app.checkpoint = address, Place.of(place / "checkpoint", app.id)
        _fill(address)
        with running(with_page(app)) as stop:
            charts = _watch(listeners, address, seconds, console, stop)
    if stop.is_set() and seconds is not None:
        raise KeyboardInterrupt
    console.print(_shown(charts))
    if seconds is not None:
        _confirm(charts, listeners)


def _fill(address: str) -> None:
    """The topics, and all songs: a play is joined with what is known of its song by then."""
    for topic in (PLAYS, SONGS, CHARTS):
        Topics(address).create(topic, PARTITIONS)
    song = hr.json(Song)
    produce(
        address,
        None,
        SONGS,
        (NewRecord(key=hr.INT64.encode(number), value=song.encode(one)) for number, one in all_songs().items()),
    )


def _watch(
    listeners: Listeners, address: str, seconds: float | None, console: Console, stop: threading.Event
) -> Charts:
    """Feed in the background and show the charts, until they reflect every play or there is no hope of it."""
    over = threading.Event()
    feeding = Background(lambda: _feed(listeners, address, seconds, over))
    store, last = app.store("charts"), False
    charts: Charts = {}
    try:
        with Live(console=console, refresh_per_second=8, transient=True) as live:
            while not stop.wait(TICK_S) and not app.wait(0):
                feeding.check()
                if not feeding.is_alive() and not last:
                    store, last = store.at_least(_all_plays(address), timeout="1s"), True
                try:
                    charts = store.all()
                except (NobodyAnswers, PositionNotReached):
                    continue
                if last:
                    break
                if console.is_terminal:
                    live.update(_shown(charts, page_of(app, "music")))
    finally:
        over.set()
    return charts


def _all_plays(address: str) -> hr.Position:
    """The position of whoever has counted everything."""
    return hr.Position({(PLAYS, partition): end for partition, end in Topics(address).end_offsets(PLAYS).items()})


def _feed(listeners: Listeners, address: str, seconds: float | None, over: threading.Event) -> None:
    play, started = hr.json(Play), time.monotonic()
    while seconds is None or time.monotonic() - started < seconds:
        burst = listeners.plays(PLAYS_A_BURST)
        produce(address, None, PLAYS, (NewRecord(value=play.encode(one)) for one in burst))
        if over.wait(PAUSE_S):
            return


def _confirm(charts: Charts, listeners: Listeners) -> None:
    right = charts == listeners.charts()
    same = "just what a recount says" if right else "NOT what a recount says"
    heard = listeners.heard
    click.echo(f"{heard.total():,} plays of {len(heard)} songs in {len(charts) - 1} genres: {same}")
    if not right:
        sys.exit(1)


def _shown(charts: Charts, page: str | None = None) -> RenderableType:
    parts: list[RenderableType] = []
    if OVERALL in charts:
        parts.append(_table("All genres", charts[OVERALL], wide=True))
    parts.append(Columns([_table(genre, charts[genre]) for genre in sorted(charts) if genre != OVERALL]))
    if page is not None:
        parts.append(f"The charts live: {page}")
    return Group(*parts)


def _table(name: str, chart: Chart, *, wide: bool = False) -> Table:
    table = Table(title=name, title_justify="left", show_header=False)
    for justify in ("right", "left", "right"):
        table.add_column(justify=justify)
    for place, song in enumerate(chart.songs, 1):
        title = f"{song.title}, {song.artist}" if wide else song.title
        table.add_row(str(place), title, f"{song.plays:,}")
    return table
