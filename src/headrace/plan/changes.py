"""Differences between the plans before and after a pass, as text."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.plan.graph import Plan
from headrace.plan.nodes.base import Node


def changes(before: Plan, after: Plan) -> list[str]:
    """The lines of nodes that a pass took away (-) and put in (+)."""
    old, new = list(map(_line, before.nodes)), list(map(_line, after.nodes))
    return [f"- {one}" for one in old if one not in new] + [f"+ {one}" for one in new if one not in old]


def passes_text(app: str, done: Iterable[tuple[str, Plan, Plan]]) -> str:
    """Each pass with the nodes that it took away and put in."""
    lines = [f"application {app}: passes from the declared plan to the stages"]
    for number, (name, before, after) in enumerate(done, 1):
        lines += ["", f"{number}. {name}", *(f"  {line}" for line in changes(before, after) or ["nothing"])]
    return "\n".join(lines)


def _line(node: Node) -> str:
    reads = ", ".join(upstream.name for upstream in node.inputs)
    return f"{node.name}  {node.op} {node.detail()}".rstrip() + (f"  <- {reads}" if reads else "")
