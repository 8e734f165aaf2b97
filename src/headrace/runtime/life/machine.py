"""Machine, or the container that is taken for one: memory, cores and descriptors for an application."""

from __future__ import annotations

import os
import pwd
import resource
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import FilesTooFew

_CGROUP = Path("/sys/fs/cgroup")
_LIMITS = (_CGROUP / "memory.max", _CGROUP / "memory" / "memory.limit_in_bytes")
_MEMINFO = Path("/proc/meminfo")


@dataclass(frozen=True)
class MachineMemory:
    """Bytes of memory: what a process may take in all, and what is free of it; None if nobody says."""

    total: int | None
    free: int | None


def memory() -> MachineMemory:
    """The memory of the machine, or of the container where that is less."""
    told = {}
    with suppress(OSError):
        for line in _MEMINFO.read_text().splitlines():
            name, _, value = line.partition(":")
            told[name] = int(value.split()[0]) << 10
    total, free = told.get("MemTotal"), told.get("MemAvailable")
    limit = _container_limit()
    if limit is not None and (total is None or limit < total):
        return MachineMemory(limit, limit if free is None else min(free, limit))
    return MachineMemory(total, free)


def _container_limit() -> int | None:
    for file in _LIMITS:
        with suppress(OSError, ValueError):
            return int(file.read_text())
    return None


def cores() -> int:
    """How many cores this process may use, of which `local[*]` has as many tasks at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


LEAST_DESCRIPTORS, GOOD_DESCRIPTORS = 512, 4_096
"""So many files and connections a JVM with Spark, and a busy application, have open."""


def descriptors() -> int:
    """How many files and connections this process may have open: a JVM raises its limit as far as that is allowed."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return 1 << 30 if hard == resource.RLIM_INFINITY else hard


def refuse_few_descriptors() -> None:
    """Refuse to start a JVM that could not open its jars."""
    if descriptors() < LEAST_DESCRIPTORS:
        raise FilesTooFew(descriptors(), LEAST_DESCRIPTORS)


def user_name() -> str | None:
    """The name of the user; None where the number has none, as in a container that was given just a number."""
    with suppress(KeyError):
        return pwd.getpwuid(os.getuid()).pw_name
    return None


@dataclass(frozen=True)
class Folder:
    """A folder that something is written to, or the one above it that is there."""

    path: Path
    free: int
    writable: bool
    runs_code: bool
    """Whether libraries can be loaded from it."""


def folder(path: Path) -> Folder:
    """State of a folder that may not exist yet: its disk, and whether it can be written."""
    there = path.absolute()
    while not there.exists():
        there = there.parent
    flags = os.statvfs(there).f_flag
    return Folder(
        path,
        free=shutil.disk_usage(there).free,
        writable=there.is_dir() and os.access(there, os.W_OK | os.X_OK),
        runs_code=not flags & getattr(os, "ST_NOEXEC", 0),
    )
