"""`headrace topics`: look after topics."""

from __future__ import annotations

import click

from headrace.cli.connection import Target, broker_options, connected, pairs
from headrace.cli.topic_records import consume, produce
from headrace.log.topics import BROKERS_CHOICE, Topics


@click.group()
def topics() -> None:
    """List, create, describe, delete, fill and read topics.

    \b
    headrace topics create lines
    echo "to be or not to be" | headrace topics produce lines
    headrace topics consume lines
    """


@topics.command("list")
@click.option("--internal", is_flag=True, help="Kafka's own topics too, such as __consumer_offsets.")
@broker_options
def list_(target: Target, internal: bool) -> None:
    """List the topics, one a line."""
    with connected(target) as to:
        for name in Topics(to.address, to.kafka).names(internal=internal):
            click.echo(name)


@topics.command()
@click.argument("name")
@click.option("--partitions", type=click.IntRange(min=1), default=4, show_default=True, help="Number of partitions.")
@click.option(
    "--replication",
    type=click.IntRange(min=1),
    default=None,
    help="Replication factor: brokers that keep each record. Default: the cluster's.",
)
@click.option(
    "--config-entry",
    "entries",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _context, _option, given: pairs(given),
    help="Setting of the topic, such as cleanup.policy=compact. May be repeated.",
)
@broker_options
def create(target: Target, name: str, partitions: int, replication: int | None, entries: dict[str, str]) -> None:
    """Create the topic NAME."""
    with connected(target) as to:
        Topics(to.address, to.kafka).create(name, partitions, entries, replication or BROKERS_CHOICE)
    click.echo(f"created {name} with {_count(partitions, 'partition')}")


@topics.command()
@click.argument("name")
@broker_options
def describe(target: Target, name: str) -> None:
    """Show the partitions, offsets and settings of the topic NAME."""
    with connected(target) as to:
        found = Topics(to.address, to.kafka).describe(name)
    held = sum(partition.end - partition.begin for partition in found.partitions)
    click.echo(f"{found.name}: {_count(len(found.partitions), 'partition')}, {_count(held, 'offset')} held")
    rows = [("partition", "leader", "replicas", "begin", "end")]
    for each in found.partitions:
        leader = "none" if each.leader is None else str(each.leader)
        rows.append((str(each.number), leader, str(each.replicas), str(each.begin), str(each.end)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  " + "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)))
    for setting, value in found.config.items():
        click.echo(f"  {setting}={value}")


@topics.command()
@click.argument("names", nargs=-1, required=True)
@click.option("-y", "--yes", is_flag=True, help="Do not ask first.")
@broker_options
def delete(target: Target, names: tuple[str, ...], yes: bool) -> None:
    """Delete the topics NAMES with all their records."""
    with connected(target) as to:
        if not yes:
            click.confirm(f"delete {', '.join(names)} on {to.address} with all records?", abort=True, err=True)
        Topics(to.address, to.kafka).delete(names)
    click.echo(f"deleted {', '.join(names)}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


topics.add_command(produce)
topics.add_command(consume)
