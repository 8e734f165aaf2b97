"""The spec of what a Python process runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.spark.spec.stage import Going


@dataclass(frozen=True)
class PythonWorkerSpec:
    """Spec of a Python worker: how it is started."""

    python: str
    path: tuple[str, ...]
    timeout_ms: int
    memory_mb: int
    programs: str = ""
    """The digest of the user's files: a process that has imported other texts of them is not asked."""


@dataclass(frozen=True)
class PythonCodeSpec:
    """Code for a Python process, pickled and in Base64; `id` is its digest."""

    id: str
    code: str
    worker: PythonWorkerSpec


@dataclass(frozen=True)
class PythonProgramSpec:
    """A part of the topology that runs in a Python process."""

    code: PythonCodeSpec
    entries: Mapping[int, tuple[str, ...]]
    """By the tag of an edge that leads into it: the stores that are looked up by the keys of its records."""
    exits: Mapping[int, Going]
    """By the tag of an edge that leads out of it, where to."""
    topics: Mapping[int, str]
    """By the place of a topic its name; of a pattern's topics, the pattern between slashes."""
