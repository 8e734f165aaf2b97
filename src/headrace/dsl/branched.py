"""Branches of a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.build.splits import Splitting
from headrace.dsl import stream as streams
from headrace.expr import Expr
from headrace.plan.nodes import Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")


Then = Callable[["streams.KStream[K, V]"], "streams.KStream[K, V] | None"]
"""What is done with the stream of a branch."""


class BranchedKStream(Generic[K, V]):
    """Branches under construction; `default_branch` or `no_default_branch` ends it and returns them by name.

    A record goes to the first branch whose predicate is true. The name of a branch is the name of the split followed
    by its own name, or by its position from 1 on; the default branch has 0.
    """

    def __init__(self, declared: Declared, node: Node, name: str | None, here: str) -> None:
        self._declared, self._split = declared, Splitting(declared, node, name, here)
        self._then: dict[str, Then[K, V] | None] = {}

    def branch(
        self,
        predicate: Callable[[K, V], object] | Expr,
        *,
        name: str | None = None,
        then: Then[K, V] | None = None,
    ) -> BranchedKStream[K, V]:
        """Add a branch for the records whose predicate is true, and that no earlier branch took.

        `then` is called with the stream of the branch, and the stream that it gives is the one returned by name; if it
        gives None the branch is done with, and not returned.

            orders.split().branch(lambda k, v: v > 100, then=lambda big: big.to("big-orders")).no_default_branch()
        """
        self._then[self._split.branch(predicate, name=name, here=origin())] = then
        return self

    def default_branch(
        self, name: str | None = None, *, then: Then[K, V] | None = None
    ) -> dict[str, streams.KStream[K, V]]:
        """End with a branch for all other records."""
        here = origin()
        full = self._split.full_name(name or "0", here)
        self._then[full] = then
        return self._close((full, here))

    def no_default_branch(self) -> dict[str, streams.KStream[K, V]]:
        """End; records that no branch took are dropped."""
        return self._close(None)

    def _close(self, default: tuple[str, str] | None) -> dict[str, streams.KStream[K, V]]:
        nodes = self._split.close(default)
        found: dict[str, streams.KStream[K, V]]
        found = {name: streams.KStream(self._declared, node) for name, node in nodes.items()}
        continued = {name: self._continued(name, stream) for name, stream in found.items()}
        return {name: stream for name, stream in continued.items() if stream is not None}

    def _continued(self, name: str, stream: streams.KStream[K, V]) -> streams.KStream[K, V] | None:
        then = self._then[name]
        return stream if then is None else then(stream)
