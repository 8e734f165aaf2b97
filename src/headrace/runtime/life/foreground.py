"""Applications in the foreground of a program, from their start to the end of the last one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from headrace.errors import HeadraceError
from headrace.model.deadline import Deadline
from headrace.observe.metrics import Metrics
from headrace.runtime.life.console import LOGGER, lines_on_console, on_stop_signal, tell_plainly_at_exit

if TYPE_CHECKING:
    from headrace.runtime.app import App

_POLL_S = 0.2
_REPORT_S = 10.0


class Foreground:
    """Runs applications until Ctrl-C or SIGTERM, until each has ended by itself, or until it is `enough`.

    If one cannot start, none runs. If one fails later, that is told and the others go on; its failure is raised when
    they have ended, too.
    """

    def __init__(self, apps: Sequence[App], enough: Callable[[], bool] = lambda: False) -> None:
        self._apps, self._enough = apps, enough
        self._running: list[App] = []
        self._reported: dict[str, Metrics] = {}
        self._failures: list[HeadraceError] = []
        self._stop = threading.Event()

    def run(self, until: str | None) -> None:
        """See them through."""
        with lines_on_console(), on_stop_signal(self._stop.set):
            try:
                self._start(until)
                self._watch()
                if self._failures:
                    raise self._failures[0]
            except HeadraceError:
                tell_plainly_at_exit(verbose=any(app.verbose for app in self._apps))
                raise
            finally:
                self._close()

    def _start(self, until: str | None) -> None:
        """Start them in a thread of its own: Ctrl-C must not cut into a conversation with the JVM."""
        told = False
        with ThreadPoolExecutor(1) as beside:
            for app in self._apps:
                starting = beside.submit(app.start, until=until)
                while not wait([starting], timeout=_POLL_S).done:
                    if self._stop.is_set() and not told:
                        told = True
                        app.say("stopping when it has started ...")
                        if not wait([starting], timeout=app.close_s).done:
                            app.kill()
                starting.result()
                self._running.append(app)
                self._reported[app.id] = app.metrics()
                if self._stop.is_set():
                    return

    def _watch(self) -> None:
        waited = 0.0
        while self._running and not self._enough() and not self._stop.wait(_POLL_S):
            self._running = [app for app in self._running if not self._has_ended(app)]
            waited += _POLL_S
            if waited >= _REPORT_S:
                waited = 0.0
                for app in self._running:
                    self._report(app)
        for app in self._running:
            app.say("finishing the batch ...")

    def _has_ended(self, app: App) -> bool:
        try:
            return app.wait(0)
        except HeadraceError as failure:
            self._failures.append(failure)
            if len(self._apps) > 1:
                others = ", ".join(other.id for other in self._running if other is not app)
                LOGGER.error("%s: failed%s: %s", app.id, f" ({others} may go on)" if others else "", failure)
            return True

    def _report(self, app: App) -> None:
        metrics = app.metrics()
        if metrics != self._reported[app.id]:
            self._reported[app.id] = metrics
            app.say(str(metrics))

    def _close(self) -> None:
        """Close them at the same time: each finishes a batch first. The process ends when the last one has to."""
        if self._stop.is_set():
            deadline = Deadline(max(app.close_s for app in self._apps))
            for app in self._apps:
                app.end_by(deadline)
        with ThreadPoolExecutor(max(1, len(self._apps))) as beside:
            for closing in [beside.submit(app.close) for app in self._apps]:
                closing.result()
