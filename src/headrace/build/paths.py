"""Names by path: nodes that are named by where they stand, and those that only the order of lines tells apart."""

from __future__ import annotations

from headrace.plan.nodes import Node


class Paths:
    """The paths of all nodes.

    Two filters of one stream have the same path and are called `in.filter` and `in.filter-2`: good for reading, but
    swapping their lines swaps the names. Nothing that lasts may be named after such a twin, or after what follows it.
    """

    def __init__(self) -> None:
        self._of: dict[Node, tuple[str, Node | None]] = {}
        self._sharing: dict[str, list[Node]] = {}

    def named(self, node: Node) -> None:
        """A node whose name the user gave: where it stands does not matter."""
        self._sharing.setdefault(node.name, []).append(node)

    def unnamed(self, node: Node, path: str, after: Node | None) -> None:
        """A node named by its path, which begins with the name of another node unless the user gave it."""
        self._of[node] = path, after
        self._sharing.setdefault(path, []).append(node)

    def twins(self, node: Node) -> tuple[str, Node, Node] | None:
        """Two nodes with one path, of which one has given its name to this one; None if all is told apart."""
        at: Node | None = node
        while at is not None and at in self._of:
            path, after = self._of[at]
            others = [other for other in self._sharing[path] if other is not at]
            if others:
                first, second = sorted((at, others[0]), key=self._sharing[path].index)
                return path, first, second
            at = after
        return None
