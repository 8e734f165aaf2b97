"""Tables: the latest value of every key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.dsl import stream as streams
from headrace.plan.nodes import Node, ToStream
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.dsl.builder import Builder

K = TypeVar("K")
V = TypeVar("V")


class KTable(Generic[K, V]):
    """The current value of every key, and the stream of its changes."""

    def __init__(self, builder: Builder, node: Node) -> None:
        self._builder, self._node = builder, node

    def to_stream(self, *, name: str | None = None) -> streams.KStream[K, V]:
        """The changes of the table as a stream: a record for each new value, one without a value for a deletion."""
        here = origin()
        node = ToStream(
            name=self._builder.unique(name, f"{self._node.name}.to_stream", here), origin=here, upstream=self._node
        )
        return streams.KStream(self._builder, self._builder.add(node))
