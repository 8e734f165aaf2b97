"""The life of an application."""

from __future__ import annotations

from enum import Enum


class State(Enum):
    """Where an application is in its life."""

    CREATED = "created"
    STARTING = "starting"
    RUNNING = "running"
    RETRYING = "retrying"
    """It failed of something that may pass, and tries again."""

    CLOSING = "closing"
    CLOSED = "closed"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether it is over, until it is started again."""
        return self in (State.CLOSED, State.FAILED)

    @property
    def up(self) -> bool:
        """Whether it runs, or means to."""
        return self in (State.RUNNING, State.RETRYING)
