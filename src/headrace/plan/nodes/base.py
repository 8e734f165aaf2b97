"""Base of all nodes of a plan, and the facts that passes rely on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any, ClassVar, TypeVar

from headrace.plan.schema import Schema
from headrace.plan.state import Prefetched, StateDescriptor
from headrace.plan.stores import StoreConnection

N = TypeVar("N", bound="Node")


class SideOutput(Enum):
    """Kind of a side output."""

    LATE = "late"
    FAILED = "failed"
    EXPIRED = "expired"
    STORED = "stored"
    """Not what it leaves out, but the rows of its store as a batch leaves them."""


@dataclass(frozen=True)
class NodeFacts:
    """Facts of a node: passes and executors rely on them, instead of asking for its class."""

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

    table: bool = False
    """Is a table: the values of the records it sends on are changes."""

    everywhere: bool = False
    """Is held in full by every task: whoever reads it looks things up, and is not moved together with it."""

    passes: bool = False
    """Sends on a record for each one that comes in, if not for those without a key."""

    anywhere: bool = False
    """Takes records in whatever task they are: no repartition is put in front of it."""

    wants_old: bool = False
    """Needs the old values of the tables it reads, which are not sent otherwise."""

    side_output: SideOutput | None = None
    """Gets what the operators in front of it leave out, or the rows that they keep, and none of their results."""

    @property
    def takes_left_out(self) -> bool:
        """Whether it gets records as they came to the operators in front of it, with their values."""
        return self.side_output in (SideOutput.LATE, SideOutput.FAILED)


@dataclass(frozen=True, kw_only=True, eq=False)
class Node(ABC):
    """Operator of a plan. Nodes are equal only to themselves: a plan is a graph, not a set of values."""

    name: str
    """From the user, or the path of operators that leads here; stable while the program is."""

    origin: str
    """`file.py:line` where the user declared it."""

    facts: ClassVar[NodeFacts] = NodeFacts()
    op: ClassVar[str]

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes this one reads from, in the order of its fields."""
        values = (getattr(self, field.name) for field in fields(self))
        listed = (value if isinstance(value, tuple) else (value,) for value in values)
        return tuple(one for value in listed for one in value if isinstance(one, Node))

    def with_inputs(self: N, rewritten: Mapping[Node, Node]) -> N:
        """The same node on rewritten inputs; itself if none of them changed."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Node) and rewritten.get(value, value) is not value:
                changed[field.name] = rewritten[value]
            elif isinstance(value, tuple) and any(rewritten.get(one, one) is not one for one in _nodes(value)):
                changed[field.name] = tuple(rewritten.get(one, one) for one in value)
        return replace(self, **changed) if changed else self

    @abstractmethod
    def output(self) -> Schema:
        """The types of what this node sends on."""

    def given(self) -> tuple[Schema, ...]:
        """The types of the records that come to it, by the inputs that it does not only look things up in."""
        followed = (one for position, one in enumerate(self.inputs) if not self.looks_up(position))
        return tuple(one.output() for one in followed) or (self.output(),)

    def detail(self) -> str:
        """Parameters in short, as `describe()` shows them beside the name."""
        return ""

    def wants_old(self, position: int) -> bool:  # noqa: ARG002
        """Whether it needs the old values of the table it reads as the input at this position."""
        return self.facts.wants_old

    def takes_no_key(self, position: int) -> bool:  # noqa: ARG002
        """Whether a record without a key means something to it, coming from the input at this position."""
        return False

    def looks_up(self, position: int) -> bool:  # noqa: ARG002
        """Whether it only looks things up in the input at this position: no record goes on from there."""
        return False

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        """State that it keeps from batch to batch: at most this, by whatever parameters it had before.

        Whatever its operators ask for in either lane has to be here, or nobody could move it to another task.
        """
        return ()

    @property
    def kept_stores(self) -> tuple[str, ...]:
        """Stores that its state is in, as often as it opens them."""
        return tuple(one.kept_in for one in self.state if one.kept_in is not None)

    @property
    def connections(self) -> tuple[StoreConnection, ...]:
        """Stores that a processor of the user's can reach in it."""
        return ()

    @property
    def prefetched(self) -> tuple[Prefetched, ...]:
        """Stores in which it looks up the key of every record that comes."""
        return ()

    @property
    def lasts(self) -> tuple[str, ...]:
        """Lifetimes of its state in words: with other words it could not go on with what is there."""
        return ()

    @property
    def window_bytes(self) -> int:
        """Number of bytes that the times of windows take behind the key by which its records came to their task."""
        front = self.inputs
        if front and self.facts.takes_left_out:
            front = front[0].inputs
        return front[0].window_bytes if front else 0

    @property
    def shared_stores(self) -> tuple[str, ...]:
        """The stores that it uses: all who use one of them run in one task."""
        store = getattr(self, "store", None)
        return () if store is None else (store,)

    @property
    def read_everywhere(self) -> tuple[str, ...]:
        """The stores that it may look into and that every task has in full."""
        return ()

    @property
    def sends_no_key(self) -> bool:
        """Whether a record without a key may go on from it, as from a left or outer join."""
        return any(self.takes_no_key(position) for position in range(len(self.inputs)))

    @property
    def drops_late(self) -> bool:
        """Whether it drops records because they come too late."""
        return False

    @property
    def holds_back(self) -> bool:
        """Whether it keeps records to send them on in a later batch: they are found again by its name."""
        return any(one.holds_back for one in self.state)

    @property
    def grows_with(self) -> str | None:
        """What its store grows with for ever, in words; None if something bounds it, be it the table it is made of."""
        return None

    @property
    def forgets_after_ms(self) -> int | None:
        """How long a table keeps a window after its start, or a session after its end; None if rows last."""
        return None

    @property
    def versioned(self) -> bool:
        """Whether a table knows what its rows were at earlier times, and tells changes that came too late to be new."""
        return False

    @property
    def keeps_old(self) -> bool:
        """Whether a table has the old values of its keys in a store of its own."""
        return self.facts.table and self.facts.stateful

    @property
    def knows_old(self) -> bool:
        """Whether a table can tell old values without a store that nobody has asked for yet."""
        return self.keeps_old


@dataclass(frozen=True, kw_only=True, eq=False)
class Unary(Node):
    """A node with one input; sends on what comes in unless it says otherwise."""

    upstream: Node

    def output(self) -> Schema:
        return self.upstream.output()


def _nodes(values: tuple[Any, ...]) -> tuple[Node, ...]:
    return tuple(value for value in values if isinstance(value, Node))
