"""Nodes that wait for a wall-clock time."""

from __future__ import annotations

from typing import Any

from headrace.plan.nodes.base import Node


def idle_ms(node: Node) -> int | None:
    """After how long a silence the stream time of a node follows the clock; None if it never does."""
    timed: Any = getattr(node, "windows", node)
    idle: int | None = getattr(timed, "idle_ms", None)
    return idle
