"""Memory of operators: what they keep beside their stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from headrace.state.merging import MergeRule, remembered

T = TypeVar("T")


@dataclass(slots=True)
class Earliest:
    """Before this time nothing of what lies in cells is due: as long as it is not over, nobody has to look there."""

    ms: int = remembered(2**63 - 1, MergeRule.EARLIEST)

    def see(self, ms: int) -> None:
        """Note an entry that is due then."""
        if ms < self.ms:
            self.ms = ms


class Memory:
    """Plain values that can be pickled, by the names of their nodes and of what they are.

    An operator asks for its own as it asks for a store, and changes it in place. Whatever it does not keep here, in
    cells or in a store is gone after the batch. Only small things belong here: all of it is written with every batch.
    """

    def __init__(self) -> None:
        self._things: dict[str, dict[str, Any]] = {}

    def of(self, node: str, what: str, make: Callable[[], T]) -> T:
        """Memory of a node under a name, made when it is first asked for."""
        things = self._things.setdefault(node, {})
        if what not in things:
            things[what] = make()
        thing: T = things[what]
        return thing

    def all_of(self, node: str) -> Iterable[Any]:
        """All things of a node's."""
        return self._things.get(node, {}).values()

    def items(self) -> Iterator[tuple[str, str, Any]]:
        """All of it: the name of the node, what it is, and the thing."""
        return ((node, what, thing) for node, things in self._things.items() for what, thing in things.items())

    def __repr__(self) -> str:
        return f"Memory({self._things!r})"
