"""Stage of a demo: starts its application, watches it and closes it, whatever happens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import headrace as hr
from headrace.runtime.life.console import on_stop_signal

TICK_S = 0.1


class Background(threading.Thread):
    """Work beside the main thread, which looks now and then whether it failed; never waited for at the end."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._failure: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except BaseException as exc:
            self._failure = exc

    def check(self) -> None:
        """Raise what it failed of."""
        if self._failure is not None:
            raise self._failure


@contextmanager
def running(app: hr.App) -> Iterator[threading.Event]:
    """The application, started; closed at the end. Gives what Ctrl-C sets.

    Ctrl-C too lets it finish its batch and give everything back.
    """
    stop = threading.Event()
    with on_stop_signal(stop.set):
        try:
            # Beside: Ctrl-C must not cut into a conversation with the JVM.
            starting = Background(app.start)
            while starting.is_alive():
                starting.join(TICK_S)
                if stop.is_set():
                    app.say("stopping when it has started ...")
                    starting.join()
            starting.check()
            yield stop
        finally:
            app.close()


def with_page(app: hr.App) -> hr.App:
    """The application, which also serves the pages of the demos."""
    app.serve = hr.Serve(pages=Path(__file__).with_name("pages"))
    return app


def page_of(app: hr.App, name: str) -> str:
    """Address of an application's page, once it runs."""
    return f"{app.url}/{name}"
