"""`headrace broker`: the embedded broker by hand."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from headrace.log.broker import BrokerStatus, EmbeddedBroker

_NOT_RUNNING = 3

_directory = click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory of the broker's data and logs. Default: $HEADRACE_BROKER_DIR, else the user's data directory.",
)


@click.group()
def broker() -> None:
    """Start, stop and look at the embedded Kafka broker.

    Applications and the other commands start it by themselves when no broker is named, and it ends with its last
    user. Start it by hand to have it stay. Topics and records survive a stop.
    """


@broker.command()
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port to listen on. Default: that of the last time, if free."
)
@_directory
def start(port: int | None, directory: Path | None) -> None:
    """Start the broker, and have it stay until it is stopped.

    One that runs for an application already is told to stay.
    """
    _show(EmbeddedBroker(directory).start(port, say=click.echo))


@broker.command()
@_directory
def stop(directory: Path | None) -> None:
    """Stop the broker, also when an application uses it."""
    stopped = EmbeddedBroker(directory).stop(say=click.echo)
    click.echo("stopped" if stopped else "the embedded broker was not running")


@broker.command()
@_directory
@click.pass_context
def status(context: click.Context, directory: Path | None) -> None:
    """Say whether the broker runs, and where. The exit code is 3 when it does not."""
    found = EmbeddedBroker(directory).status()
    if found.running:
        click.echo(f"the embedded broker runs at {found.address}")
    elif found.pid is not None:
        click.echo(f"the embedded broker is starting or stopping (process {found.pid})")
    else:
        click.echo("the embedded broker is not running")
    _show(found)
    if not found.running:
        context.exit(_NOT_RUNNING)


def _show(found: BrokerStatus) -> None:
    lines: dict[str, object] = {"data": found.directory, "log": found.log}
    if found.running and found.since_ms is not None:
        since = datetime.fromtimestamp(found.since_ms // 1000).isoformat(sep=" ")
        stays = "until `headrace broker stop`" if found.kept else "until its last user ends"
        used = "in use" if found.in_use else "not in use"
        lines = {"process": f"{found.pid}, since {since}", "runs": f"{stays}, {used}"} | lines
    for label, text in lines.items():
        click.echo(f"  {label + ':':<9}{text}")
