"""What commands change in this process, put back behind each test."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that a command loads has its folder in front of all others."""
    monkeypatch.setattr(sys, "path", list(sys.path))
