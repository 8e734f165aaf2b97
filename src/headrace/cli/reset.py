"""`headrace reset`: have an application begin anew."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from headrace.cli.connection import Target, broker_options, connected
from headrace.cli.load import (
    app_target,
    checkpoint_of,
    checkpoint_option,
    load_app,
    refuse_without_checkpoint,
    target_of,
)
from headrace.cli.preview import preview_options, wanted
from headrace.cli.record_lines import timestamp_of
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.passes.pipeline import rewrite
from headrace.runtime.app import App
from headrace.runtime.commands.reset import Beginning, OffsetReset, Reset, adoptable, resetting, switch


class BeginningType(click.ParamType[Beginning]):
    """earliest, latest, a time, or a file of offsets."""

    name = "earliest|latest|TIME|FILE"

    def convert(self, value: Beginning, param: click.Parameter | None, ctx: click.Context | None) -> Beginning:
        if not isinstance(value, str) or value in ("earliest", "latest"):
            return value
        try:
            return timestamp_of(value)
        except ValueError:
            if not Path(value).is_file():
                self.fail(f"{value!r} is no time like 2024-05-01T12:00:00Z, and there is no such file", param, ctx)
            return Path(value)


@click.command()
@app_target
@click.option("--to", type=BeginningType(), help="Offsets that streams are read from.")
@click.option("--as", "beside", metavar="NAME", help="Take over state and offsets of `headrace run --as NAME` instead.")
@checkpoint_option
@preview_options
@broker_options
def reset(
    broker: Target,
    target: str,
    to: Beginning | None,
    beside: str | None,
    checkpoint: str | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Have APP begin anew at its next start: its state is removed, and its topics are read from another place.

    What it has written stays, and is written again from there on. Tables are always read from their beginnings. A FILE
    of offsets is like {"orders": {"0": 17, "1": 23}}; what it does not name is read from the beginning.

        headrace reset app.py --to earliest --dry-run
        headrace reset app.py --to 2024-05-01T12:00:00Z
        headrace reset app.py --as v2
    """
    if (to is None) == (beside is None):
        raise click.UsageError("say where to begin with --to, or --as which run")
    app = load_app(target, checkpoint)
    if beside is not None:
        _switch(app, broker, beside, dry_run=dry_run, yes=yes)
        return
    assert to is not None
    place = checkpoint_of(app)
    plan = rewrite(app.plan())
    with connected(target_of(app, broker)) as at, resetting(plan, place, to, at.address, at.kafka) as found:
        _show(found)
        if not wanted(f"reset application {app.id!r}?", dry_run=dry_run, yes=yes):
            return
        found.carry_out(at.address, at.kafka)
    click.echo(f"application {app.id!r} begins anew at its next start")


def _switch(app: App, broker: Target, name: str, *, dry_run: bool, yes: bool) -> None:
    """The live application goes on with the state and the positions of a run beside it."""
    refuse_without_checkpoint(app, "headrace reset --as")
    if app.checkpoint.address is not None:
        raise click.UsageError("--as is for checkpoints in directories")
    mine, other = (Checkpoint(app.id, place.directory) for place in (app.checkpoint, app.checkpoint.beside(name)))
    plan = rewrite(app.plan())
    with ExitStack() as held:
        at = held.enter_context(connected(target_of(app, broker)))
        adoptable(plan, other, name, at.address, at.kafka)
        for one in (mine, other):
            one.take()
            held.callback(one.release)
        click.echo(f"application {app.id!r} goes on from {other.place}, and forgets {mine.place}")
        if not wanted(f"switch application {app.id!r}?", dry_run=dry_run, yes=yes):
            return
        switch(plan, mine, other, name, at.address, at.kafka)
    click.echo(f"application {app.id!r} goes on from there at its next start")


def _show(found: Reset) -> None:
    click.echo(f"application {found.app!r}, checkpoint {found.checkpoint.place}")
    click.echo(f"  state that is removed: {', '.join(found.stores) or 'none'}")
    if found.changelogs:
        click.echo(f"  changelogs that begin anew: {', '.join(found.changelogs)}")
    if found.foreign:
        click.echo(f"  not proved to be its own, and left as they are: {', '.join(found.foreign)}")
    for move in found.moves:
        click.echo(f"  {'table' if move.table else 'topic'} {move.topic}: {_words(move)}")


def _words(move: OffsetReset) -> str:
    if not move.before:
        return f"read from {_places(move)}; it was not read before"
    told = [f"{count:,} {what}" for count, what in ((move.again, "read again"), (move.left_out, "left out")) if count]
    return f"read from {_places(move)}" + (f"; {' and '.join(told)}" if told else "")


def _places(move: OffsetReset) -> str:
    if not move.named:
        return "its beginning"
    return ", ".join(f"{partition}@{offset}" for partition, offset in sorted(move.after.items()))
