"""Branches of a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.build.functions import KEY_VALUE, bound, exactly
from headrace.build.names import checked_name
from headrace.dsl import stream as streams
from headrace.errors import NameTaken, OptionInvalid
from headrace.expr import Bound, Expr
from headrace.model.types import BOOL
from headrace.plan.nodes import Branch, Node, Split
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
        self._declared, self._node, self._here = declared, node, here
        self._prefix = "" if name is None else checked_name("a split", name, here)
        self._branches: dict[str, tuple[Bound, str]] = {}
        self._then: dict[str, Then[K, V] | None] = {}
        self._numbered: set[str] = set()

    def branch(
        self,
        predicate: Callable[[K, V], bool | Expr] | Expr,
        *,
        name: str | None = None,
        then: Then[K, V] | None = None,
    ) -> BranchedKStream[K, V]:
        """Add a branch for the records whose predicate is true, and that no earlier branch took.

        `then` is called with the stream of the branch, and the stream that it gives is the one returned by name; if it
        gives None the branch is done with, and not returned.

            orders.split().branch(lambda k, v: v > 100, then=lambda big: big.to("big-orders")).no_default_branch()
        """
        here = origin()
        condition = bound("branch", predicate, (KEY_VALUE,), self._node, here, exactly(BOOL, "the predicate"))
        full = self._new(name or str(len(self._branches) + 1), here)
        self._branches[full] = (condition, here)
        self._then[full] = then
        if name is None:
            self._numbered.add(full)
        return self

    def default_branch(
        self, name: str | None = None, *, then: Then[K, V] | None = None
    ) -> dict[str, streams.KStream[K, V]]:
        """End with a branch for all other records."""
        here = origin()
        full = self._new(name or "0", here)
        self._then[full] = then
        return self._close((full, here))

    def no_default_branch(self) -> dict[str, streams.KStream[K, V]]:
        """End; records that no branch took are dropped."""
        return self._close(None)

    def _new(self, name: str, here: str) -> str:
        full = checked_name("a branch", self._prefix + name, here)
        if full in self._branches:
            raise NameTaken(full, self._branches[full][1], here)
        return full

    def _close(self, default: tuple[str, str] | None) -> dict[str, streams.KStream[K, V]]:
        if not self._branches:
            raise OptionInvalid("branches", 0, "at least one .branch(...) before the split ends", self._here)
        split = self._declared.add(
            Split(
                name=self._declared.unique(None, f"{self._node.name}.split", self._here),
                origin=self._here,
                upstream=self._node,
                predicates=tuple(condition for condition, _ in self._branches.values()),
            )
        )
        ends = [(name, here) for name, (_, here) in self._branches.items()] + ([default] if default else [])
        found = {name: self._stream(split, position, name, here) for position, (name, here) in enumerate(ends)}
        continued = {name: self._continued(name, stream) for name, stream in found.items()}
        return {name: stream for name, stream in continued.items() if stream is not None}

    def _continued(self, name: str, stream: streams.KStream[K, V]) -> streams.KStream[K, V] | None:
        then = self._then[name]
        return stream if then is None else then(stream)

    def _stream(self, split: Split, position: int, name: str, here: str) -> streams.KStream[K, V]:
        node = Branch(
            # A star is in no name: the branches known by their position share a place with one another only.
            name=self._declared.unique(
                None, f"{split.name}.{name}", here, place=f"{split.name}.*" if name in self._numbered else None
            ),
            origin=here,
            upstream=split,
            position=position,
        )
        return streams.KStream(self._declared, self._declared.add(node))
