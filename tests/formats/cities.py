"""A program whose records are pairs; run as a script, it reads and writes real topics on Spark."""

from __future__ import annotations

import sys

import headrace as hr
from formats.pairs import PairsSerde
from headrace.dsl import Builder

PAIRS = PairsSerde({"orders": ";", "rome": "|"})
READ, WRITTEN = ("orders", "calls"), ("rome", "counts", "called", "failed")


def declare(app: Builder) -> None:
    """Keys and values, in stores and out of them, bound to topics and not, with failures that are read."""
    orders = app.stream("orders", key=PAIRS, value=PAIRS)
    orders.filter(lambda _, order: order["city"] == "Rome").to("rome")
    counts = orders.group_by_key().count(store="counts").to_stream()
    counts.to("counts", value=hr.INT64)
    calls = app.stream("calls", key=hr.STRING, value=PAIRS)
    calls.errors().map_values(lambda failed: failed.message).to("failed")
    calls.map_values(lambda call: {"who": call["name"]}).to("called", value=PairsSerde())


if __name__ == "__main__":
    _, broker, checkpoints, jar = sys.argv
    for on_error in ("fail", "skip"):  # failures are read inside of stages, all else is done without
        app = hr.App(
            f"cities-{on_error}",
            broker=broker,
            checkpoint=f"{checkpoints}/{on_error}",
            on_error=on_error,
            queryable=False,
            serve=None,
            spark={"spark.jars": f"local:{jar}", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"},
        )
        declare(app)
        app.run(until="latest")
