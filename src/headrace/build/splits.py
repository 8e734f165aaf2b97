"""Splits of streams into branches."""

from __future__ import annotations

from headrace.build.declared import Declared
from headrace.build.functions import KEY_VALUE, Function, bound, exactly
from headrace.build.names import checked_name
from headrace.errors import NameTaken, OptionInvalid
from headrace.expr import Bound
from headrace.model.types import BOOL
from headrace.plan.nodes import Branch, Node, Split


class Splitting:
    """The branches of a split while they are declared; `close` adds the nodes."""

    def __init__(self, declared: Declared, node: Node, name: str | None, here: str) -> None:
        self._declared, self._node, self._here = declared, node, here
        self._prefix = "" if name is None else checked_name("a split", name, here)
        self._branches: dict[str, tuple[Bound, str]] = {}
        self._numbered: set[str] = set()

    def branch(self, predicate: Function, *, name: str | None = None, here: str) -> str:
        """Add a branch for the records whose predicate is true; its whole name."""
        condition = bound("branch", predicate, (KEY_VALUE,), self._node, here, exactly(BOOL, "the predicate"))
        full = self.full_name(name or str(len(self._branches) + 1), here)
        self._branches[full] = (condition, here)
        if name is None:
            self._numbered.add(full)
        return full

    def full_name(self, name: str, here: str) -> str:
        """The name of a branch behind the name of the split; no other branch may have it."""
        full = checked_name("a branch", self._prefix + name, here)
        if full in self._branches:
            raise NameTaken(full, self._branches[full][1], here)
        return full

    def close(self, default: tuple[str, str] | None) -> dict[str, Node]:
        """Add the split and its branches; `default` is the name and line of the branch for all other records."""
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
        return {name: self._branch(split, position, name, here) for position, (name, here) in enumerate(ends)}

    def _branch(self, split: Split, position: int, name: str, here: str) -> Node:
        # A star is in no name: the branches known by their position share a place with one another only.
        place = f"{split.name}.*" if name in self._numbered else None
        path = self._declared.unique(None, f"{split.name}.{name}", here, place=place)
        return self._declared.add(Branch(name=path, origin=here, upstream=split, position=position))
