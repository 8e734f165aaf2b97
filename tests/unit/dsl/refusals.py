"""What tests expect of a topology that cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from headrace.dsl import Builder
from headrace.errors import HeadraceError
from headrace.passes.pipeline import rewrite


def refused(kind: type[HeadraceError], declare: Callable[[], object], *words: str) -> str:
    """What is said when something fails as it is declared: these words, and a line of the test."""
    with pytest.raises(kind) as caught:
        declare()
    found = str(caught.value)
    for word in words:
        assert word in found, found
    assert re.search(r"  at: test_\w+\.py:\d+", found), found
    return found


def refused_app(kind: type[HeadraceError], declare: Callable[[Builder], object], *words: str) -> str:
    """The same of a whole application, as it is declared or built."""

    def build() -> None:
        app = Builder("app")
        declare(app)
        rewrite(app.plan())

    return refused(kind, build, *words)
