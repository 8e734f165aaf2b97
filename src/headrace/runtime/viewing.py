"""Views of an application while it is written, in a notebook above all."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from headrace.build.shown import plan_of
from headrace.engine.topics import topics_of
from headrace.errors import NothingToRun
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import consume
from headrace.log.topics import Topics
from headrace.model.record import RawRecord
from headrace.model.rows import Row, Rows
from headrace.passes.pipeline import rewrite
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Source
from headrace.task.loop import Loop

if TYPE_CHECKING:
    from headrace.runtime.app import App

MOST_READ = 10_000
"""How many records of a topic are looked at to show some."""


def first_rows(app: App, node: Node, count: int, here: str) -> Rows:
    """Rows of a node, from the records that are in the topics now; of a table the last row of each key."""
    rows: list[Row] = []
    table: dict[bytes, Row] = {}
    key_serde = node.output().key.store_serde()

    def see(key: Any, value: Any) -> None:
        if not node.facts.table:
            rows.append(Row(key, value))
        elif value is None:
            table.pop(key_serde.write(key), None)
        else:
            table[key_serde.write(key)] = Row(key, value)

    plan = rewrite(plan_of(app._declared, node, see, here))
    with broker_of(app) as address:
        for _ in _run(plan, address, app):
            if len(rows) >= count:
                break
    found = [*rows, *(table[data] for data in sorted(table))]
    note = "" if found else "nothing came of what is in the topics now"
    return Rows(islice(found, count), node.name, note)


def image(app: App) -> str:
    """The topology as an image in HTML: a style inside an SVG would be one of the whole notebook."""
    from headrace.rest.handlers.topology_svg import picture

    try:
        parts = split_subtopologies(rewrite(app.plan()))
    except NothingToRun:
        return f"<code>{escape(repr(app))}</code>: nothing is declared so far"
    data = base64.b64encode(picture(app.id, parts).encode()).decode()
    told = escape(f"The topology of {app.id}")
    return f'<img alt="{told}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'


@contextmanager
def broker_of(app: App) -> Iterator[str]:
    """The address of an application's broker; the embedded one is there as long as it takes."""
    if app.broker is not None:
        yield app.broker
        return
    with EmbeddedBroker().join(say=app.say) as lease:
        yield lease.address


def _run(plan: Plan, address: str, app: App) -> Iterator[None]:
    """Run a plan in this process, stopping after each record; those of all topics come in the order of their times."""
    topics = Topics(address, app.kafka)
    read = topics_of(plan.of(Source), topics)
    there = [topic for topic, count in topics.partitions(read).items() if count]
    records = [record for topic in there for record in _records(address, app.kafka, topic)]
    loop = Loop(plan, app.clock)
    try:
        for record in sorted(records, key=lambda one: one.ts):
            loop.run([record])
            yield
    finally:
        loop.close()


def _records(address: str, kafka: Mapping[str, str], topic: str) -> Iterator[RawRecord]:
    for record in consume(address, kafka, topic, limit=MOST_READ):
        origin = f"{record.topic}-{record.partition}@{record.offset}"
        ts = -1 if record.timestamp_ms is None else record.timestamp_ms
        yield RawRecord(topic, ts, record.key, record.value, record.headers, origin)
