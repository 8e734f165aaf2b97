"""Store requests: stores added for processors, and the names by which processors ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headrace.plan.stores import Store


@dataclass(frozen=True)
class AddedStore:
    """A store of processors, with the line that added it."""

    store: Store[Any]
    origin: str
    keeper: str | None
    """The only node that may write the store, if it is the copy of a topic."""


@dataclass(frozen=True)
class StoreRequests:
    """The stores that were added by name, and by the name of each node the stores it asks for, with their lines.

    A name may be asked for before its store is declared: only the whole topology tells.
    """

    added: Mapping[str, AddedStore] = field(default_factory=dict)
    asked: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
