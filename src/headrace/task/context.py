"""What a task gives its operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Node, Repartition, To
from headrace.state.keyvalue import KeyValueStore
from headrace.state.timed import TimedStores
from headrace.task.drops import Drops


@dataclass(frozen=True)
class Context:
    """The world outside a task: all that its operators can reach beside one another."""

    send: Callable[[Repartition, Record], None]
    """Hands a record to the tasks that own its key."""

    write: Callable[[To, RawRecord], None]
    """Writes a record to a topic."""

    show: Callable[[str], None]
    """Prints a line for the user."""

    store: Callable[[str], KeyValueStore]
    """The store of a name, made when it is first asked for."""

    windows: TimedStores
    """The stores of windows and sessions."""

    drops: Drops

    sending_old: frozenset[Node]
    """The tables whose changes carry old values."""
