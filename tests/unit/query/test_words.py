"""Errors of queries that programs meet before anything is asked."""

from __future__ import annotations

from headrace.errors import HeadraceError, NotRunning


def words(error: HeadraceError) -> list[str]:
    return str(error).splitlines()


def test_stores_are_asked_while_their_application_runs() -> None:
    assert words(NotRunning("shop", "created")) == [
        "shop is created: its stores can be asked while it runs",
        "  to do: call start() first; from another program: hr.connect(url)",
    ]
