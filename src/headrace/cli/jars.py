"""`headrace jars`: what a Spark session that headrace did not start needs on its class path."""

from __future__ import annotations

import click

from headrace.jvm.jars import fetch
from headrace.jvm.kernel import kernel_jar


@click.command()
def jars() -> None:
    """Print the jars that a Spark session of your own needs, with commas between them.

    They are the Kafka connector, what it depends on, and the kernel; what is missing is fetched first.

        spark-submit --jars "$(headrace jars)" shop.py
    """
    click.echo(",".join(map(str, [*fetch("connector"), kernel_jar()])))
