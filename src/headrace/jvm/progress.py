"""Progress of a fetch, told on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


class Progress(Protocol):
    """Is told how a fetch goes: `begin` once, `step` as it moves, `end` once, also when it failed."""

    def begin(self, total: int, text: str) -> None: ...

    def step(self, done: int, total: int, text: str) -> None: ...

    def end(self, text: str) -> None: ...


class Lines:
    """A plain line at the beginning and one at the end: for a log file or a pipe."""

    def begin(self, total: int, text: str) -> None:  # noqa: ARG002 (the text has the number)
        self._say(f"{text} ...")

    def step(self, done: int, total: int, text: str) -> None:
        pass

    def end(self, text: str) -> None:
        self._say(text)

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


class Bar:
    """A bar that moves, and the plain line at the end in its place: for a terminal."""

    _bar: RichProgress
    _task: TaskID

    def begin(self, total: int, text: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        name = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
        columns = TextColumn(text), BarColumn(bar_width=20), MofNCompleteColumn(), name
        self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True, expand=True)
        self._task = self._bar.add_task("", total=total)
        self._bar.start()

    def step(self, done: int, total: int, text: str) -> None:
        self._bar.update(self._task, completed=done, total=total, description=text)

    def end(self, text: str) -> None:
        self._bar.stop()
        print(text, file=sys.stderr, flush=True)


def console() -> Progress:
    """The bar when stderr is a terminal, else the plain lines."""
    return Bar() if sys.stderr.isatty() else Lines()
