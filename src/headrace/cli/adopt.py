"""`headrace adopt`: have an application begin with what a Kafka Streams application has left."""

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
from headrace.passes.pipeline import rewrite
from headrace.runtime.commands.adopt import Adoption, Wanted, adopting
from headrace.spark.session import spark as spark
from headrace.spark.session.executor_dependencies import workers_of
from headrace.spark.session.workers import Workers


def _pair(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = dict(one.partition("=")[::2] for one in given)
    if not all(pairs.values()):
        raise click.BadParameter("it is like counts=KSTREAM-AGGREGATE-STATE-STORE-0000000003")
    return pairs


@click.command()
@app_target
@click.option("--from", "streams", metavar="ID", help="Its application.id. Default: the id of APP.")
@click.option(
    "--store",
    "names",
    multiple=True,
    callback=_pair,
    metavar="NAME=THEIRS",
    help="Name of a store, and the one that Kafka Streams has for it.",
)
@click.option("--empty", multiple=True, metavar="NAME", help="A store that begins without rows.")
@click.option("--replace-changelogs", is_flag=True, help="Delete topics with the names of APP's changelogs.")
@checkpoint_option
@preview_options
@broker_options
def adopt(
    broker: Target,
    target: str,
    streams: str | None,
    names: dict[str, str],
    empty: tuple[str, ...],
    replace_changelogs: bool,
    checkpoint: str | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Have APP, which has not run yet, begin with the state and the positions of a Kafka Streams application.

    That one must be stopped, in order, and stays as it is: it could go on. Its rows are read from its changelogs with
    the serdes that APP declares, and found by the names of stores.

        headrace adopt app.py --from orders-streams --dry-run
        headrace adopt app.py --from orders-streams --store totals=KSTREAM-REDUCE-STATE-STORE-0000000002
    """
    app = load_app(target, checkpoint)
    refuse_without_checkpoint(app, "headrace adopt")
    if app.checkpoint.address is not None:
        raise click.UsageError("adopt is for checkpoints in directories")
    place = checkpoint_of(app)
    plan, stores = rewrite(app.plan()), Wanted(names, frozenset(empty))
    with (
        connected(target_of(app, broker)) as at,
        adopting(
            plan, place, streams or app.id, stores, at.address, at.kafka, replace_changelogs=replace_changelogs
        ) as found,
    ):
        _show(found)
        if not wanted(f"have application {app.id!r} begin so?", dry_run=dry_run, yes=yes):
            return
        with spark.joined(app.spark, place.log, verbose=app.verbose, inherited=[place.lock]) as session:
            master = spark.master_of(app.spark)
            spec = workers_of(session, master, timeout_ms=app.worker_timeout_ms, memory_mb=app.worker_memory_mb)
            rows = found.carry_out(session, Workers(spec), app.clock)
    click.echo(f"application {app.id!r} begins with {_rows(rows)} of Kafka Streams application {found.streams.id!r}")


def _show(found: Adoption) -> None:
    click.echo(f"application {found.plan.app!r}, checkpoint {found.checkpoint.place}")
    click.echo(f"  begins as Kafka Streams application {found.streams.id!r} has stopped, in {found.layout.tasks} tasks")
    for store in found.stores:
        click.echo(f"  store {store.name}: {_rows(len(store.rows))} of {store.topic}")
    for name in found.empty:
        click.echo(f"  store {name}: begins empty")
    for topic, places in found.layout.starts.items():
        click.echo(f"  topic {topic}: read from {', '.join(f'{number}@{at}' for number, at in places.items())}")
    for source in found.unread:
        click.echo(f"  topic {source}: read from its beginning, it was not read before")
    if found.left:
        click.echo(f"  changelogs that no store takes: {', '.join(found.left)}")
    if found.replaced:
        topics = ", ".join(one.topic for one in found.replaced)
        click.echo(f"  deleted and made anew, so that Kafka Streams cannot go on: {topics}")


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
