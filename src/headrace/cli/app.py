"""`headrace run`, `describe` and `explain`: what can be done with an application in a file."""

from __future__ import annotations

from pathlib import Path

import click

from headrace.cli.connection import Target, broker_options
from headrace.cli.load import app_target, checkpoint_option, load_app, target_of
from headrace.cli.main import Options
from headrace.log.files import write_whole


@click.command()
@app_target
@click.option(
    "--until", type=click.Choice(["latest"]), help="Process what is in the topics now and end, instead of running on."
)
@checkpoint_option
@click.option(
    "--metrics-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write metrics to after every batch, as Prometheus text.",
)
@click.option(
    "--as",
    "beside",
    metavar="NAME",
    help="Run beside the live application: with -NAME behind its id, checkpoint and the topics that it writes.",
)
@broker_options
@click.pass_obj
def run(
    options: Options,
    broker: Target,
    target: str,
    until: str | None,
    checkpoint: str | None,
    metrics_file: Path | None,
    beside: str | None,
) -> None:
    """Run an application until Ctrl-C.

    APP is file.py, file.py:name or package.module:name; the name is `app` if not given. What --broker, -X and --config
    say wins over what the application says; $HEADRACE_BROKER is for an application that names no broker.

        headrace run word_count.py
        headrace run word_count.py --until latest
        headrace run word_count.py --until latest --as v2
    """
    app = load_app(target, checkpoint, beside)
    chosen = target_of(app, broker)
    app.broker, app.kafka = chosen.address, dict(chosen.kafka)
    app.verbose = app.verbose or options.verbose
    if metrics_file:
        app.on_batch(lambda metrics: write_whole(metrics_file, metrics.prometheus()))
    app.run(until=until)


@click.command()
@app_target
def describe(target: str) -> None:
    """Print an application's topology: sub-topologies, operators, what each reads from.

    APP is file.py, file.py:name or package.module:name.
    """
    click.echo(load_app(target).describe())


@click.command()
@app_target
@click.option("--passes", is_flag=True, help="Print what each pass makes of the declared plan instead.")
def explain(target: str, passes: bool) -> None:
    """Print how an application runs on Spark: stages, lanes, stores.

    APP is file.py, file.py:name or package.module:name.
    """
    click.echo(load_app(target).explain(passes=passes))
