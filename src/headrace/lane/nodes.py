"""Where records come into a part of a topology that runs in Python, and where they leave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.plan.nodes.base import Beside, Facts, Node, Unary
from headrace.plan.schema import Schema
from headrace.serde import Serde


@dataclass(frozen=True, kw_only=True, eq=False)
class Enter(Node):
    """What another part sends on."""

    schema: Schema
    key: Serde[Any]
    value: Serde[Any]
    changes: bool
    """Whether these are changes of a table, with their old values."""

    op = "enter"
    facts = Facts(cuts=True)

    def output(self) -> Schema:
        return self.schema


@dataclass(frozen=True, kw_only=True, eq=False)
class Leave(Unary):
    """What another part takes."""

    tag: int
    key: Serde[Any]
    value: Serde[Any]
    changes: bool

    op = "leave"
    facts = Facts(ends=True)


class LeaveLate(Leave):
    """The same of what came too late."""

    facts = Facts(ends=True, beside=Beside.LATE)


class LeaveFailed(Leave):
    """The same of what failed."""

    facts = Facts(ends=True, beside=Beside.FAILED)


class LeaveExpired(Leave):
    """The same of what was forgotten."""

    facts = Facts(ends=True, beside=Beside.EXPIRED)


LEAVE_BESIDE: dict[Beside | None, type[Leave]] = {
    None: Leave,
    Beside.LATE: LeaveLate,
    Beside.FAILED: LeaveFailed,
    Beside.EXPIRED: LeaveExpired,
}
