"""Processors that know their stores and children by names which are longer in a pack of cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from headrace.plan.stores import StoreConnection
from headrace.processor.context import ProcessorContext, name_of


@dataclass(frozen=True)
class Renamed:
    """Makes processors whose context puts a prefix before the names they say."""

    make: Callable[[], Any]
    before: str
    app_id: str
    """That of the case alone."""

    def __call__(self) -> Any:
        processor = self.make()
        begin = processor.init
        processor.init = lambda context: begin(_Context(context, self.before, self.app_id))
        return processor


def renamed(connections: tuple[StoreConnection, ...], before: str) -> tuple[StoreConnection, ...]:
    """The stores of a processor under their longer names."""
    return tuple(replace(one, store=replace(one.store, name=before + one.store.name)) for one in connections)


class _Context:
    """A context that puts a prefix before names, and is the given one otherwise."""

    def __init__(self, context: ProcessorContext, before: str, app_id: str) -> None:
        self._context, self._before, self.app_id = context, before, app_id

    def forward(self, record: Any, to: str | None = None) -> None:
        self._context.forward(record, None if to is None else self._before + to)

    def store(self, store: Any) -> Any:
        return self._context.store(self._before + name_of(store))

    @property
    def task_id(self) -> str:
        """The cases that ask for it have one sub-topology."""
        return f"0_{self._context.task_id.partition('_')[2]}"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)
