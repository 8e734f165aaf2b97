"""The spec of a stage and of its nodes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from headrace.plan.nodes import SideOutput
from headrace.spark.spec.parameters import Function, Parameters
from headrace.spark.spec.python import PythonProgramSpec

ELSEWHERE = -1
"""The place of an input that is in another stage."""


class Going(Enum):
    """Destination of records that leave a stage."""

    ON = "on"
    """To any task."""

    LATER = "later"
    """To the same task, where they have to be before the results of the same record."""

    OUT = "out"
    """To topics, and to no task any more."""


@dataclass(frozen=True)
class Into:
    """A way to an operator of the stage, as one of its inputs."""

    operator: int
    position: int


@dataclass(frozen=True)
class Out:
    """A way out of the stage, on the edge of this tag."""

    tag: int
    going: Going


Way = Into | Out


@dataclass(frozen=True)
class Expiry:
    """The rows of a store that go after a while, by the stream time of this name."""

    ttl_ms: int
    time: str


@dataclass(frozen=True)
class FailureSpec:
    """The failures of a node that are read as a stream."""

    told: Function
    """What is told of a record that failed."""

    decoded_key: Function | None = None
    """Of a source: its key, decoded in the stage, so that a failure of that is read too."""

    decoded_value: Function | None = None


@dataclass(frozen=True, kw_only=True)
class NodeSpec:
    """Spec of one operator of a stage, behind its inputs."""

    name: str
    label: str
    """What failures of its functions call it."""
    op: str
    inputs: tuple[int, ...] = ()
    """The places of its inputs among the nodes of the stage, or `ELSEWHERE`."""
    ways: tuple[Way, ...]
    """Where its results go, one after the other."""
    side_outputs: Mapping[SideOutput, tuple[Way, ...]]
    """Where its side outputs go, by their kind."""
    stores: tuple[str, ...] = ()
    every_change: bool = False
    """Of a table: whether every change is sent on, or the last of each key in a batch."""
    sends_old: bool = False
    """Whether the changes it sends carry old values."""
    idle_ms: int | None = None
    """After how long a silence its stream time follows the clock."""
    looked_up: bool = False
    """Whether the rows of a windowed table are asked for, beside following its changes."""
    branches: tuple[int, ...] = ()
    """The positions of the branches that its ways lead to."""
    expiry: Expiry | None = None
    failure: FailureSpec | None = None
    parameters: Parameters


@dataclass(frozen=True, kw_only=True)
class StageSpec:
    """Spec of one stage: its operators, or a program for a Python process."""

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    """Unlike that of any other stage in the process."""
    number: int
    """Its place among the stages of the application, from 1; 0 for one that only gives records their times."""
    nodes: tuple[NodeSpec, ...] = ()
    entries: Mapping[int, tuple[Into, ...]]
    """By the tag of an edge: the operators that its records go to."""
    times: Mapping[int, str]
    """By the tag of an edge: the name of the time that its records move, if rows are deleted by it."""
    functions: tuple[str, ...] = ()
    """SQL on the bytes of the arguments; operators know functions by their numbers."""
    apart: bool = False
    """Whether its rows come apart by tasks already, as they are read."""
    ordered: bool = False
    """Whether they also come in the order in which they are taken."""
    staying: tuple[int, ...] = ()
    """The tags of the edges whose rows are in the task already that takes them."""
    python: PythonProgramSpec | None = None
