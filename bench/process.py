"""Run a program and watch it: what it tells, and what CPU and memory its process tree takes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SAMPLE_S = 0.2
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass
class Usage:
    """CPU seconds and memory over time, and the most memory at once, of a process and all it started."""

    root: int
    peak_bytes: int = 0
    samples: list[tuple[float, float]] = field(default_factory=list)
    resident: list[tuple[float, int]] = field(default_factory=list)
    _ticks: dict[int, int] = field(default_factory=dict)

    def sample(self, processes: dict[int, tuple[int, int, int]]) -> None:
        """Add what is used now; a process that has ended counts with what it had when last seen."""
        memory = 0
        for pid in _tree(self.root, processes):
            _, self._ticks[pid], resident = processes[pid]
            memory += resident
        self.peak_bytes = max(self.peak_bytes, memory)
        self.resident.append((time.time(), memory))
        self.samples.append((time.time(), sum(self._ticks.values()) / _TICKS))

    def cpu_s(self, begin: float, end: float) -> float:
        """CPU seconds between two moments."""
        return self._at(end) - self._at(begin)

    def _at(self, moment: float) -> float:
        place = bisect_left(self.samples, (moment,))
        if place == 0 or place == len(self.samples):
            return self.samples[min(place, len(self.samples) - 1)][1]
        (before, less), (after, more) = self.samples[place - 1], self.samples[place]
        return less + (more - less) * (moment - before) / (after - before)


@dataclass
class Ran:
    """What a program told and took."""

    begun: float
    marks: list[dict[str, Any]]
    usage: Usage
    broker: Usage
    failure: str | None

    def mark(self, name: str) -> dict[str, Any] | None:
        """The first mark of this name."""
        return next((mark for mark in self.marks if mark["mark"] == name), None)


class Program:
    """A program under way."""

    def __init__(
        self, command: Sequence[str], broker: int, log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self._log = log
        self._marks: list[dict[str, Any]] = []
        self._ended = threading.Event()
        self._begun = time.time()
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **(environment or {})},
            )
        self._usage, self._broker = Usage(self._process.pid), Usage(broker)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._watch)]
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def kill(self) -> float:
        """End it and all that it started at once, as the end of a machine would; returns when that was."""
        killed = time.time()
        for pid in _tree(self._process.pid, _processes()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._join()
        return killed

    def interrupt(self) -> None:
        """Ask it to end, as Ctrl-C would."""
        self._process.send_signal(signal.SIGINT)

    def await_mark(self, name: str, limit_s: float, times: int = 1) -> bool:
        """Wait for a mark, or so many; False if the program ends or the time does first."""
        return self._await(lambda: sum(mark["mark"] == name for mark in self._marks) >= times, limit_s)

    def last(self, name: str) -> dict[str, Any]:
        """The last mark of this name, of which there is one."""
        return next(mark for mark in reversed(self._marks) if mark["mark"] == name)

    def write(self, text: str) -> None:
        """Tell it something."""
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def finish(self, limit_s: float, *, stop: bool = False) -> Ran:
        """Wait for its end, or ask for it; kill it when the time is over."""
        if stop:
            assert self._process.stdin is not None
            self._process.stdin.close()
        over = not self._await(lambda: False, limit_s) and self._process.poll() is None
        if over:
            self._process.kill()
        code = self._join()
        failure = f"did not end within {limit_s:.0f} s" if over else _failure(code, self._log) if code else None
        return Ran(self._begun, self._marks, self._usage, self._broker, failure)

    def _join(self) -> int:
        code = self._process.wait()
        self._ended.set()
        for thread in self._threads:
            thread.join()
        return code

    def _await(self, met: Callable[[], bool], limit_s: float) -> bool:
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline and self._process.poll() is None:
            if met():
                return True
            time.sleep(0.02)
        return met()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                self._marks.append(json.loads(line))

    def _watch(self) -> None:
        while not self._ended.wait(_SAMPLE_S):
            processes = _processes()
            self._usage.sample(processes)
            self._broker.sample(processes)


def _tree(root: int, processes: Mapping[int, tuple[int, int, int]]) -> list[int]:
    """A process and all below it, of those that are there."""
    children = defaultdict(list)
    for pid, (parent, _, _) in processes.items():
        children[parent].append(pid)
    left, found = [root], []
    while left:
        pid = left.pop()
        found += [pid] if pid in processes else []
        left += children[pid]
    return found


def _processes() -> dict[int, tuple[int, int, int]]:
    """Parent, CPU ticks and resident bytes of every process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(folder.name)] = int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[21]) * _PAGE
    return found


def _failure(code: int, log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "rror" in line or "xception" in line), lines[-1] if lines else "")
    return f"failed with {code}: {told}"
