"""Reading topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.plan.nodes.base import Node
from headrace.plan.schema import Field, Schema
from headrace.serde import Serde


@dataclass(frozen=True, kw_only=True, eq=False)
class Source(Node):
    """Every record of some topics, in the order of their partitions.

    Either `topics` or `pattern` (a regular expression over topic names) is given.
    """

    topics: tuple[str, ...] = ()
    pattern: str | None = None
    key: Serde[Any]
    value: Serde[Any]

    op = "stream"

    def output(self) -> Schema:
        return Schema(Field.of(self.key), Field.of(self.value))

    def detail(self) -> str:
        read = f"topics like {self.pattern}" if self.pattern else f"topic {', '.join(self.topics)}"
        return f"{read} {self.output()}"
