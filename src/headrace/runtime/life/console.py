"""The few lines an application prints while it runs in the foreground."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from headrace.errors import HeadraceError
from headrace.model.notebook import shell

LOGGER = logging.getLogger("headrace")


@contextmanager
def lines_on_console() -> Iterator[None]:
    """Print what the application says to stderr, unless the program has set up logging itself.

    Below the cell of a notebook to stdout: there stderr is as red as an error.

    py4j sets it up, too, when it loses the JVM: everything would be printed twice from then on.
    """
    if LOGGER.hasHandlers():
        yield
        return
    handler = logging.StreamHandler(sys.stderr if shell() is None else sys.stdout)
    handler.setFormatter(logging.Formatter("%(message)s"))
    level, propagate = LOGGER.level, LOGGER.propagate
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
        LOGGER.propagate = propagate


def tell_plainly_at_exit(*, verbose: bool) -> None:
    """If an error of ours ends the program, print its words; the traceback says nothing more, unless asked for."""
    if verbose or sys.excepthook is not sys.__excepthook__:
        return

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, HeadraceError):
            print(f"error: {error}", file=sys.stderr)
        else:
            sys.__excepthook__(kind, error, trace)

    sys.excepthook = tell


@contextmanager
def on_stop_signal(react: Callable[[], None]) -> Iterator[None]:
    """Call `react` on Ctrl-C and SIGTERM instead of ending the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(_signal: int, _frame: FrameType | None) -> None:
        react()

    former = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
