"""Takeover in a notebook: a cell that is run again takes over from the application that it has started before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from headrace.model.notebook import shell

if TYPE_CHECKING:
    from headrace.runtime.app import App

_started: WeakValueDictionary[Path, App] = WeakValueDictionary()
"""The applications of this process, by the directories of their checkpoints."""


def take_over(app: App) -> None:
    """Close the application that runs on the same checkpoint in this notebook, be it this one.

    In a program two of them are a mistake, and an error.
    """
    if shell() is None:
        return
    before = _started.get(app.checkpoint.directory)
    if before is not None and before.state.up:
        app.say("closing the one that runs in this notebook ...")
        before.close()
    _started[app.checkpoint.directory] = app
