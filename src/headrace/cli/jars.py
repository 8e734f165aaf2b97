"""`headrace jars`: the jars that pyspark lacks, at hand for an image or for a Spark session of the user's own."""

from __future__ import annotations

import click

from headrace.jvm.jars import fetch
from headrace.jvm.kernel import kernel_jar


@click.command()
def jars() -> None:
    """Fetch the jars that pyspark lacks, and print their paths with commas between them.

    They are the Kafka connector, what it depends on, and the kernel; what is missing is fetched first. With them in an
    image, or in $HEADRACE_CACHE_DIR, no application fetches anything when it starts. A Spark session of your own needs
    them on its class path.

        headrace jars > /dev/null
        spark-submit --jars "$(headrace jars)" shop.py
    """
    click.echo(",".join(map(str, [*fetch("connector"), kernel_jar()])))
