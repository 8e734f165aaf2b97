"""Stores of processors, collected while a topology is declared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.build.names import checked_name
from headrace.errors import NameTaken, OptionInvalid
from headrace.plan.store_requests import AddedStore, StoreRequests
from headrace.plan.stores import Store


class Connections:
    """The stores that were added, and by which names processors asked for them.

    A name may be asked for before its store is declared: only the whole topology tells.
    """

    def __init__(self) -> None:
        self._added: dict[str, AddedStore] = {}
        self._asked: dict[str, dict[str, str]] = {}
        """By the name of a node, the names of its stores with the lines that name them."""

    def add(self, store: Store[Any], here: str, keeper: str | None = None) -> None:
        """Take in a store. The very same may be added again: by each processor that names it."""
        if not isinstance(store, Store):
            raise OptionInvalid("store", store, "one of hr.stores, such as hr.stores.key_value(...)", here)
        checked_name("a store", store.name, here)
        known = self._added.get(store.name)
        if known is not None and (known.store != store or keeper or known.keeper):
            raise NameTaken(store.name, known.origin, here)
        self._added.setdefault(store.name, AddedStore(store, here, keeper))

    def origin_of(self, name: str) -> str | None:
        """Where a store of this name was added, None if it was not."""
        return self._added[name].origin if name in self._added else None

    def connect(self, node: str, stores: Iterable[Store[Any] | str], here: str) -> None:
        """Let a node reach some stores; one that is given as declared is added."""
        asked = self._asked.setdefault(node, {})
        for store in stores:
            if not isinstance(store, str):
                self.add(store, here)
            asked.setdefault(store if isinstance(store, str) else store.name, here)

    def requests(self) -> StoreRequests:
        """Stores and requests so far, as data."""
        return StoreRequests(dict(self._added), {node: dict(stores) for node, stores in self._asked.items()})
