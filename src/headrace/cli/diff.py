"""`headrace diff`: what a changed application finds of its state."""

from __future__ import annotations

from dataclasses import replace

import click

from headrace.cli.load import app_target, checkpoint_of, checkpoint_option, load_app, refuse_without_checkpoint
from headrace.engine.batch.kept import kept
from headrace.engine.inventory import Evolution
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Source
from headrace.state.pickles import PickledState


@click.command()
@app_target
@checkpoint_option
def diff(target: str, checkpoint: str | None) -> int:
    """Compare APP with the one that its checkpoint was made by: what is kept, added, changed and lost.

    Ends with exit code 1 if the application would be refused at its start.
    """
    app = load_app(target, checkpoint)
    refuse_without_checkpoint(app, "headrace diff")
    place = checkpoint_of(app)
    layout = place.known_layout()
    if layout is None or not place.has_state:
        click.echo(f"application {app.id!r} has kept nothing yet at {place.place}")
        return 0
    plan = rewrite(app.plan())
    here = replace(kept(plan), pickled=layout.pickled and app.pickled_state is PickledState.TRUST)
    found, read = Evolution.of(layout.kept, here), {source.name for source in plan.of(Source)}
    added = [f"source {name!r}" for name in sorted(read - set(layout.sources))]
    lost = [f"source {name!r}" for name in sorted(set(layout.sources) - read)]
    for word, lines in (
        ("kept", found.kept),
        ("added", [*found.added, *added]),
        ("changed", found.changed),
        ("lost", [*found.lost, *lost]),
    ):
        for line in lines:
            click.echo(f"{word + ':':8} {line}")
    misfits = [*found.misfits, *added, *lost]
    click.echo("it goes on with its state" if not misfits else "it does not fit its checkpoint and would not start")
    if misfits:
        click.echo(
            f"  to do: {found.hint}start with the old topology, run the new one under another id, or: headrace reset",
            err=True,
        )
    return 1 if misfits else 0
