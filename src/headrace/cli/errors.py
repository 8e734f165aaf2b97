"""`headrace errors`: the records that an application could not handle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from headrace.cli.connection import Target, broker_options, connected
from headrace.cli.key_value_text import FORMS
from headrace.cli.load import app_target, beside_option, load_app, target_of
from headrace.cli.record_lines import shown_time
from headrace.errors import LetterMissing, TopicMissing
from headrace.errors.printable import safe, safe_lines
from headrace.runtime.commands.dead_letters import DeadLetter, DeadLetterTopic

_COLUMNS = ("place", "time", "node", "error", "message", "origin", "attempt")
_WIDEST = 60


@click.group()
def errors() -> None:
    """List, show and re-send the records that an application could not handle: its dead letters.

    \b
    headrace errors list app.py
    headrace errors show app.py 0@17
    headrace errors resend app.py --all
    """


@errors.command("list")
@app_target
@beside_option
@click.option("--all", "everything", is_flag=True, help="Also those that were sent again with --all.")
@broker_options
def list_(broker: Target, target: str, beside: str | None, everything: bool) -> None:
    """List the dead letters of APP that wait, one a line."""
    with _letters(broker, target, beside) as letters:
        found = list(letters.all() if everything else letters.waiting())
    if not found:
        click.echo(f"no dead letters in {letters.topic}" + ("" if everything else " wait"), err=True)
        return
    rows = [_COLUMNS, *(_row(letter) for letter in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


@errors.command()
@app_target
@beside_option
@click.argument("place", metavar="PLACE")
@broker_options
def show(broker: Target, target: str, beside: str | None, place: str) -> None:
    """Show a dead letter of APP with all there is; PLACE is what the list calls it, such as 0@17."""
    with _letters(broker, target, beside) as letters:
        (letter,) = named(letters, [place])
    for name, text in zip(_COLUMNS, _facts(letter), strict=True):
        click.echo(f"{name + ':':9} {safe_lines(text)}")
    for name, data in (("key", letter.record.key), ("value", letter.record.value), *letter.record.headers):
        if not name.startswith("headrace."):
            click.echo(f"{safe(name) + ':':9} {safe(_bytes(data))}")


@errors.command()
@app_target
@beside_option
@click.argument("places", metavar="[PLACE]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that wait; they do not wait any more then.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask first.")
@broker_options
def resend(
    broker: Target, target: str, beside: str | None, places: tuple[str, ...], everything: bool, yes: bool
) -> None:
    """Write dead letters of APP once more to the topics they came from: those at the PLACES, or all that wait.

    They come behind all other records. If one fails again it is a new dead letter, and says how often it has failed.
    Records that could not be written to a topic came from none, and those that were too large for the letters are not
    whole: both are left out of --all. One that is sent by its PLACE waits on, and is sent again with --all.
    """
    if everything == bool(places):
        raise click.UsageError("name the places of the letters to send again, or --all")
    with _letters(broker, target, beside) as letters:
        waiting = list(letters.waiting()) if everything else named(letters, places)
        found = [letter for letter in waiting if letter.whole] if everything else waiting
        topics = sorted({letter.topic for letter in found})
        if not found:
            some = f", but {len(waiting)} that cannot be sent again" if waiting else ""
            click.echo(f"no dead letters in {letters.topic} wait{some}", err=True)
            return
        if not yes:
            click.confirm(f"write {_count(found)} to {', '.join(topics)}?", abort=True, err=True)
        letters.send_again(found)
        if everything:
            letters.done_with(waiting)
    if len(found) < len(waiting):
        click.echo(f"left out {len(waiting) - len(found)} that cannot be sent again; list --all shows them", err=True)
    click.echo(f"sent {_count(found)} to {', '.join(topics)}")


@contextmanager
def _letters(broker: Target, target: str, beside: str | None) -> Iterator[DeadLetterTopic]:
    app = load_app(target, beside=beside)
    with connected(target_of(app, broker)) as to:
        try:
            yield DeadLetterTopic(app.dead_letters, to.address, to.kafka)
        except TopicMissing as missing:
            if missing.topics == [app.dead_letters]:
                raise LetterMissing(app.dead_letters, "there is no such topic") from missing
            raise


def named(letters: DeadLetterTopic, places: Iterable[str]) -> list[DeadLetter]:
    """The letters at these places."""
    there = {letter.place: letter for letter in letters.all()}
    missing = [place for place in places if place not in there]
    if missing:
        raise LetterMissing(letters.topic, f"there is none at {', '.join(missing)}")
    return [there[place] for place in places]


def _facts(letter: DeadLetter) -> tuple[str, ...]:
    told = map(letter.told, _COLUMNS[2:])
    return (letter.place, shown_time(letter.record.timestamp_ms), *told)


def _row(letter: DeadLetter) -> tuple[str, ...]:
    lines = (safe(" ".join(text.split())) for text in _facts(letter))
    return tuple(text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..." for text in lines)


def _bytes(data: bytes | None) -> str:
    """As text if it can be read, else in hexadecimal."""
    if data is None:
        return "null"
    try:
        return FORMS["string"].to_text(data)
    except ValueError:
        return f"{data.hex()} (hexadecimal)"


def _count(letters: list[DeadLetter]) -> str:
    return "1 record" if len(letters) == 1 else f"{len(letters)} records"
