"""Program of a Python process: the nodes that it runs, pickled."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from headrace.model.classes import Classes
from headrace.model.programs import MAIN
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Source
from headrace.plan.subtopology import SubTopology
from headrace.serde import Serde
from headrace.state.codec import StateCodec
from headrace.state.pickles import Pickles


@dataclass(frozen=True)
class Exit:
    """Exit through a sink or a repartition: the tag of its edge, and of a repartition its bytes."""

    tag: int
    key: Serde[Any] | None = None
    value: Serde[Any] | None = None
    changes: bool = False


@dataclass(frozen=True)
class Lookup:
    """A store that the keys of records are looked up in: its cells, and the bytes by which it knows keys."""

    cells: str
    key: Serde[Any]


@dataclass(frozen=True)
class Program:
    """The nodes of one stage that run in Python, and how records come to them and go."""

    plan: Plan
    """They alone; what is outside is an `Enter` or a `Leave`."""

    parts: tuple[SubTopology, ...]
    """Which of them share a stream time."""

    entries: Mapping[int, Node | None]
    """By the tag of an edge: the `Enter` or the source whose records these are; None if they come by another, too."""

    exits: Mapping[str, Exit]
    """By the names of sinks and repartitions."""

    sending_old: frozenset[Node]
    reading_failures: frozenset[Node]
    topics: Mapping[int, str]
    """The topics by their places in the numbers that say where a record was read; patterns are between slashes."""

    partitions: Mapping[str, int]
    """How many partitions the repartitions have."""

    stamped: frozenset[Source] = field(default_factory=frozenset)
    """Sources whose records only get their times here."""

    lookups: Mapping[int, tuple[Lookup, ...]] = field(default_factory=dict)
    """By the tag of an entry: stores that know its keys by other bytes than those that come in."""

    started: str = MAIN
    """What others call the program that the application was started with."""

    moved: Mapping[str, type] = field(default_factory=dict)
    """Classes that have moved, by the names under which state knows them."""

    pickles: Pickles = field(default_factory=Pickles)
    """What is done with values that only a pickle can hold."""

    def codec(self) -> StateCodec:
        """Codec of the state."""
        return StateCodec(Classes(self.started, self.moved, _by_value()), self.pickles)

    @staticmethod
    def read(data: bytes) -> Program:
        """Read a pickled program."""
        program: Program = shipped(data)
        return program


def shipped(data: bytes) -> Any:
    """Unpickle what was pickled by value; its classes can be found by their names from now on."""
    found = pickle.loads(data)
    _know_classes()
    return found


def _know_classes() -> None:
    """Remember classes whose values are pickled by name, in state and between processes."""
    for cls in _by_value():
        module = _module(cls.__module__)
        if "." not in cls.__qualname__ and not hasattr(module, cls.__qualname__):
            setattr(module, cls.__qualname__, cls)


def _by_value() -> list[type]:
    """The classes that came with functions, for their modules are not here."""
    from cloudpickle import cloudpickle

    return list(cloudpickle._DYNAMIC_CLASS_TRACKER_BY_CLASS.keys())


def _module(name: str) -> ModuleType:
    """A module: an empty one where there is none, as of the user's main file, or of a program that is elsewhere."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return sys.modules.setdefault(name, ModuleType(name))
