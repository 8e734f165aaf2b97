"""`headrace rescale`: change the number of an application's tasks."""

from __future__ import annotations

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
from headrace.engine.resumption import size_text
from headrace.passes.pipeline import rewrite
from headrace.runtime.rescale.rescale import Rescale, rescaling
from headrace.runtime.state_key import codec_of
from headrace.spark.session import spark as spark


@click.command()
@app_target
@click.option(
    "--tasks",
    type=click.IntRange(1),
    help="Number of tasks. Default: as many as the largest of its topics has partitions now.",
)
@checkpoint_option
@preview_options
@broker_options
def rescale(broker: Target, target: str, tasks: int | None, checkpoint: str | None, dry_run: bool, yes: bool) -> None:
    """Change the number of tasks of APP, which must not run: all of its state comes to the tasks where it belongs then.

    After partitions were added to a topic that it reads, this is how it goes on. State whose task cannot be told, such
    as that of a processor with keys of its own, is refused, and nothing is changed.

        headrace rescale app.py --dry-run
        headrace rescale app.py --tasks 12
    """
    app = load_app(target, checkpoint)
    refuse_without_checkpoint(app, "headrace rescale")
    if app.checkpoint.address is not None:
        raise click.UsageError("rescale is for checkpoints in directories")
    place = checkpoint_of(app)
    with (
        connected(target_of(app, broker)) as at,
        rescaling(rewrite(app.plan()), place, tasks, at.address, at.kafka, codec_of(app)) as found,
    ):
        if not found.changes:
            click.echo(f"application {app.id!r} has {_tasks(found.before.tasks)} already")
            return
        _show(found)
        if not wanted(f"rescale application {app.id!r}?", dry_run=dry_run, yes=yes):
            return
        with spark.joined(app.spark, place.log, verbose=app.verbose, inherited=[place.lock]) as session:
            moved = found.carry_out(session)
    rows = "1 row of state was" if moved == 1 else f"{moved:,} rows of state were"
    click.echo(f"application {app.id!r} goes on with {_tasks(found.after.tasks)}; {rows} moved")


def _show(found: Rescale) -> None:
    stores = [store for stage in found.before.stages for store in stage]
    click.echo(f"application {found.plan.app!r}, checkpoint {found.checkpoint.place}")
    behind = f"behind batch {found.log.done}" if found.log.done >= 0 else "before the first batch"
    click.echo(f"  from {_tasks(found.before.tasks)} to {found.after.tasks}, {behind}")
    if found.log.begun > found.log.done:
        click.echo(
            f"  batch {found.log.begun} is not finished: it is begun anew, unless a part of it is written already"
        )
    click.echo(f"  state that is moved: {', '.join(stores) or 'none'}; {size_text(found.size)}")
    for source in found.by_key:
        click.echo(f"  {source}: its records went to the task of their partition, and go to that of their key then")


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
