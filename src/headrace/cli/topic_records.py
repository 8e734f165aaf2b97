"""`headrace topics produce` and `consume`: records from lines, records as lines."""

from __future__ import annotations

import sys
from typing import BinaryIO

import click

from headrace.cli.connection import BrokerConnection, Target, all_pairs, broker_options, connected
from headrace.cli.key_value_text import FORMS
from headrace.cli.record_lines import LineReader, LineWriter, time_given
from headrace.log import records
from headrace.log.topics import Topics

_TYPE = click.Choice(list(FORMS))


@click.command()
@click.argument("topic")
@click.option("--file", type=click.File("rb"), help="File to read instead of standard input.")
@click.option("--key", "key_type", type=_TYPE, default="string", show_default=True, help="Type of the keys.")
@click.option("--value", "value_type", type=_TYPE, default="string", show_default=True, help="Type of the values.")
@click.option("--key-separator", metavar="TEXT", help="Separator of key and value. Default: lines have no key.")
@click.option("--json", "as_json", is_flag=True, help="Each line is a JSON object, see above.")
@click.option("--null-marker", metavar="TEXT", help="A key or value of just this text is null; a null value deletes.")
@click.option(
    "--header", "headers", multiple=True, metavar="NAME=VALUE", help="Header of every record. May be repeated."
)
@click.option(
    "--timestamp",
    metavar="TIME",
    callback=time_given,
    help="Time of the records: milliseconds since 1970, or ISO 8601.",
)
@click.option("--partition", type=click.IntRange(min=0), help="Partition to write to. Default: that of the key.")
@broker_options
def produce(
    target: Target,
    topic: str,
    file: BinaryIO | None,
    key_type: str,
    value_type: str,
    key_separator: str | None,
    as_json: bool,
    null_marker: str | None,
    headers: tuple[str, ...],
    timestamp: int | None,
    partition: int | None,
) -> None:
    """Write records to TOPIC, one a line, from standard input or a file.

    A line is a value; with --key-separator a key and a value; with --json an object with any of "key", "value",
    "headers" ({"name": "text"} or [["name", "text"]]), "timestamp" (milliseconds) and "partition", such as consume
    --json prints; an "offset" is left aside. Bytes are written in hexadecimal: 00ff10. A line that does not fit its
    type ends the command; the lines before it are written.

    On the embedded broker a missing topic is created, with 4 partitions.
    """
    reader = LineReader(
        topic=topic,
        source=file.name if file else "standard input",
        key=FORMS[key_type],
        value=FORMS[value_type],
        as_json=as_json,
        key_separator=key_separator,
        null_marker=null_marker,
        headers=tuple((name, value.encode()) for name, value in all_pairs(headers)),
        timestamp_ms=timestamp,
        partition=partition,
    )
    with connected(target) as to:
        if to.embedded:
            _create_if_missing(to, topic)
        lines: BinaryIO = file or sys.stdin.buffer
        if lines.isatty():
            click.echo("one record a line; Ctrl-D ends", err=True)
        count = records.produce(to.address, to.kafka, topic, reader.records(lines))
    click.echo(f"produced {count} record{'' if count == 1 else 's'} to {topic}", err=True)


@click.command()
@click.argument("topic")
@click.option("-f", "--follow", is_flag=True, help="Wait for new records until Ctrl-C.")
@click.option("--from-beginning", is_flag=True, help="With --follow: the records that are there first.")
@click.option("--max", "limit", type=click.IntRange(min=0), metavar="N", help="End after N records.")
@click.option("--key", "key_type", type=_TYPE, default="string", show_default=True, help="Type of the keys.")
@click.option("--value", "value_type", type=_TYPE, default="string", show_default=True, help="Type of the values.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON objects with all there is, one a line.")
@click.option("--timestamps", is_flag=True, help="Print the time of each record first.")
@click.option("--headers", is_flag=True, help="Print the headers before the key.")
@click.option("--null-marker", metavar="TEXT", default="null", show_default=True, help="Text that is printed for null.")
@click.option("--raw", is_flag=True, help="Print text as it is, also what a terminal obeys or what ends a line.")
@click.option("--partition", type=click.IntRange(min=0), help="Read this partition only.")
@click.option("--uncommitted", is_flag=True, help="Also records of transactions that are open or were aborted.")
@broker_options
def consume(
    target: Target,
    topic: str,
    follow: bool,
    from_beginning: bool,
    limit: int | None,
    key_type: str,
    value_type: str,
    as_json: bool,
    timestamps: bool,
    headers: bool,
    null_marker: str,
    raw: bool,
    partition: int | None,
    uncommitted: bool,
) -> None:
    """Print the records of TOPIC, one a line: key, tab, value.

    Without --follow: from the beginning to the end that the topic has now. With --follow: what comes from now on.
    Bytes are printed in hexadecimal. What does not fit its type is printed escaped, with a note; so are tabs, ends of
    lines and other characters that a terminal obeys.
    """
    writer = LineWriter(
        key=FORMS[key_type],
        value=FORMS[value_type],
        as_json=as_json,
        timestamps=timestamps,
        headers=headers,
        null_marker=null_marker,
        raw=raw,
    )
    with connected(target) as to:
        found = records.consume(
            to.address,
            to.kafka,
            topic,
            from_beginning=from_beginning or not follow,
            follow=follow,
            limit=limit,
            partition=partition,
            committed=not uncommitted,
        )
        for record in found:
            click.echo(writer.line(record))


def _create_if_missing(to: BrokerConnection, topic: str) -> None:
    topics = Topics(to.address, to.kafka)
    if topics.partitions([topic])[topic] is None:
        topics.create(topic)
        click.echo(f"created topic {topic} with 4 partitions", err=True)
