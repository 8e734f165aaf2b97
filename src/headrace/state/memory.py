"""What operators remember beside their stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Memory:
    """Plain values that can be pickled, by the names of their nodes and of what they are.

    An operator asks for its own as it asks for a store, and changes it in place. Whatever it does not keep here or in
    a store is gone after the batch.
    """

    def __init__(self) -> None:
        self._things: dict[str, dict[str, Any]] = {}

    def of(self, node: str, what: str, make: Callable[[], T]) -> T:
        """Something of a node's, made when it is first asked for."""
        things = self._things.setdefault(node, {})
        if what not in things:
            things[what] = make()
        thing: T = things[what]
        return thing

    def __repr__(self) -> str:
        return f"Memory({self._things!r})"
