"""What every node of a plan has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, TypeVar

from headrace.plan.schema import Schema

N = TypeVar("N", bound="Node")


@dataclass(frozen=True)
class Facts:
    """What passes and executors rely on, instead of asking for the class of a node."""

    stateful: bool = False
    """Keeps a store, so it runs inside a task."""

    rekeys: bool = False
    """May change the key: what follows and looks at keys needs a repartition."""

    cuts: bool = False
    """Ends a sub-topology: what follows runs in other tasks."""

    ends: bool = False
    """Has an effect of its own: it runs even if nothing follows."""

    reads_value: bool = True
    """Looks at the value, not only whether there is one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Node(ABC):
    """One operator. Nodes are equal only to themselves: a plan is a graph, not a set of values."""

    name: str
    """From the user, or the path of operators that leads here; stable while the program is."""

    origin: str
    """`file.py:line` where the user declared it."""

    facts: ClassVar[Facts] = Facts()
    op: ClassVar[str]

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes this one reads from, in the order of its fields."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(value for value in values if isinstance(value, Node))

    def with_inputs(self: N, rewritten: Mapping[Node, Node]) -> N:
        """The same node on rewritten inputs; itself if none of them changed."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Node) and rewritten.get(value, value) is not value:
                changed[field.name] = rewritten[value]
        return replace(self, **changed) if changed else self

    @abstractmethod
    def output(self) -> Schema:
        """The types of what this node sends on."""

    def detail(self) -> str:
        """What `describe()` says beside the name: the parameters, in short."""
        return ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Unary(Node):
    """A node with one input; sends on what comes in unless it says otherwise."""

    upstream: Node

    def output(self) -> Schema:
        return self.upstream.output()
