"""Other sides of joins and merges: streams and tables of the same application, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.errors import OptionInvalid
from headrace.plan.nodes import Node

if TYPE_CHECKING:
    from headrace.build.declared import Declared


def same_app(declared: Declared, other: object, here: str, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raise if the other side is none of these kinds, or belongs to another application."""
    theirs: Any = getattr(other, "_declared", None)
    if not isinstance(other, kinds):
        raise OptionInvalid("other", other, wanted, here)
    if theirs is not declared:
        raise OptionInvalid("other", theirs.id, f"a stream or table of this application, {declared.id!r}", here)


def sides(declared: Declared, other: Any, kinds: tuple[type, ...], allowed: str, here: str) -> tuple[Node, ...]:
    """The nodes of the other side, or sides, of a join."""
    others = tuple(other) if isinstance(other, list | tuple) else (other,)
    if not others:
        raise OptionInvalid("other", other, "at least one to join with", here)
    for one in others:
        same_app(declared, one, here, kinds, allowed)
    return tuple(one._node for one in others)
