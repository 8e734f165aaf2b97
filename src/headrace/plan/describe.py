"""A plan as text."""

from __future__ import annotations

from headrace.plan.growth import growing_stores
from headrace.plan.nodes.base import Node
from headrace.plan.subtopology import SubTopology
from headrace.plan.task_assignment import meeting
from headrace.plan.unasked import UnaskedStore

_WIDEST = 100
"""Cells of up to so many characters widen their column: else one long expression would push all lines off a screen."""


def describe(app: str, parts: tuple[SubTopology, ...], unasked: tuple[UnaskedStore, ...] = ()) -> str:
    """The topology as text: each sub-topology, its nodes, and what each reads from.

    Then the stores without bound, and those with names that cannot be asked.
    """
    lines = [f"application {app}"]
    for part in parts:
        lines.append("")
        met = ", ".join(meeting(part))
        lines.append(f"sub-topology {part.number}" + (f": by key, whatever the partitions of {met}" if met else ""))
        lines += table([_row(node) for node in part.nodes], indent=2)
    growing = growing_stores(node for part in parts for node in part.nodes)
    if growing or unasked:
        lines += ["", *(f"store {store}" for store in (*growing, *unasked))]
    return "\n".join(lines)


def table(rows: list[tuple[str, ...]], indent: int) -> list[str]:
    """Rows as lines with aligned columns; the last column is left as it is, and so is a cell that is very long."""
    if not rows:
        return []
    columns = list(zip(*rows, strict=True))[:-1]
    widths = [max((len(cell) for cell in column if len(cell) <= _WIDEST), default=0) for column in columns]
    return [
        " " * indent
        + "  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[-1]]).rstrip()
        for row in rows
    ]


def _row(node: Node) -> tuple[str, ...]:
    reads = ", ".join(upstream.name for upstream in node.inputs)
    return (node.name, node.op, node.detail(), f"<- {reads}" if reads else "", node.origin)
