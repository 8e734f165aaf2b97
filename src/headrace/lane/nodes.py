"""Entry and exit nodes of the part of a topology that runs in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.plan.nodes.base import Node, NodeFacts, SideOutput, Unary
from headrace.plan.schema import Schema
from headrace.serde import Serde


@dataclass(frozen=True, kw_only=True, eq=False)
class Enter(Node):
    """Entry: the results of a node in another part of the stage."""

    schema: Schema
    key: Serde[Any]
    value: Serde[Any]
    changes: bool
    """Whether these are changes of a table, with their old values."""

    op = "enter"
    facts = NodeFacts(cuts=True)

    def output(self) -> Schema:
        return self.schema


@dataclass(frozen=True, kw_only=True, eq=False)
class Leave(Unary):
    """Exit: the results of a node for another part of the stage."""

    tag: int
    key: Serde[Any]
    value: Serde[Any]
    changes: bool

    op = "leave"
    facts = NodeFacts(ends=True)


class LeaveLate(Leave):
    """Exit of late records."""

    facts = NodeFacts(ends=True, side_output=SideOutput.LATE)


class LeaveFailed(Leave):
    """Exit of failed records."""

    facts = NodeFacts(ends=True, side_output=SideOutput.FAILED)


class LeaveExpired(Leave):
    """Exit of expired records."""

    facts = NodeFacts(ends=True, side_output=SideOutput.EXPIRED)


LEAVE_SIDE_OUTPUT: dict[SideOutput | None, type[Leave]] = {
    None: Leave,
    SideOutput.LATE: LeaveLate,
    SideOutput.FAILED: LeaveFailed,
    SideOutput.EXPIRED: LeaveExpired,
}
