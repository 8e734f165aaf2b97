"""Every error is in one package, has a code of its own, and a test that reads its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from headrace import errors
from headrace.errors import HeadraceError

TESTS = Path(__file__).parents[1]


def kinds(root: type[HeadraceError] = HeadraceError) -> Iterator[type[HeadraceError]]:
    for kind in root.__subclasses__():
        if kind.__module__.startswith(f"{errors.__name__}."):
            yield kind
            yield from kinds(kind)


GROUPS = {kind for kind in kinds() if "__init__" not in vars(kind)}


def test_the_groups_are_few() -> None:
    assert {kind.__name__ for kind in GROUPS} == {
        "SetupError",
        "BrokerError",
        "PlanError",
        "RunError",
        "KitError",
        "ProcessorError",
        "QueryError",
    }


def test_every_error_is_imported_from_one_place() -> None:
    assert {kind.__name__ for kind in kinds()} | {"HeadraceError"} == set(errors.__all__)
    assert all(getattr(errors, kind.__name__) is kind for kind in kinds())


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in kinds()]
    assert len(codes) == len(set(codes))
    for kind in set(kinds()) - GROUPS:
        assert kind.code == re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower(), kind


def test_every_error_has_a_test_that_reads_its_words() -> None:
    """Somewhere it is expected by name, with words beside it or an assertion on its text below."""
    files = [file.read_text("utf-8") for file in TESTS.rglob("test_*.py") if file != Path(__file__)]
    unread = {kind.__name__ for kind in set(kinds()) - GROUPS}
    for name in sorted(unread):
        if any(re.search(rf"(raises|refused|words)\w*\(.*\b{name}\b|[(,]\s*{name},\s", text) for text in files):
            unread.discard(name)
    assert sorted(unread) == []
