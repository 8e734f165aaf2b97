"""Topics that an application both writes and reads: its records come back to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from headrace.errors import EndlessLoop, TopicWrittenAnotherWay
from headrace.plan.nodes import Node, Source, To
from headrace.serde import BYTES, Serde


def check_topics(nodes: Iterable[Node]) -> None:
    """Raise for a topic that is written in a way in which it cannot be read, and for records that never end."""
    sources = [node for node in nodes if isinstance(node, Source)]
    back: dict[Source, list[tuple[Source, To]]] = {source: [] for source in sources}
    for sink in (node for node in nodes if isinstance(node, To)):
        for reader in (source for source in sources if _reads(source, sink.topic)):
            if not (_readable(sink.key, reader.key) and _readable(sink.value, reader.value)):
                written = f"({sink.key}, {sink.value})"
                raise TopicWrittenAnotherWay(str(sink.topic), written, sink.origin, reader.output(), reader.origin)
            for source in _passed_by(sink):
                back[source].append((reader, sink))
    for source in sources:
        _check_end(source, back, ())


def _reads(source: Source, topic: object) -> bool:
    """Whether a source reads a topic; which one a function will name is not known yet."""
    return isinstance(topic, str) and source.reads(topic)


def _passed_by(node: Node) -> Iterator[Source]:
    """The sources of which every record reaches a node."""
    for upstream in node.inputs:
        if isinstance(upstream, Source):
            yield upstream
        elif upstream.facts.passes:
            yield from _passed_by(upstream)


def _check_end(source: Source, back: dict[Source, list[tuple[Source, To]]], way: tuple[To, ...]) -> None:
    """Raise if a record of a source comes back to it again and again."""
    for reader, sink in back[source]:
        path = (*way, sink)
        if any(sink is before for before in way):
            raise EndlessLoop([str(one.topic) for one in path[path.index(sink) + 1 :]], sink.origin)
        _check_end(reader, back, path)


def _readable(written: Serde[Any], read: Serde[Any]) -> bool:
    """Whether one serde reads what another has written; of plain bytes nobody knows."""
    return written == read or BYTES in (written, read) or read.reads(written)
