"""Stores with names that cannot be asked: describe() says which, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import headrace as hr


def told(app: hr.App) -> list[str]:
    return [line for line in app.describe().splitlines() if "cannot be asked" in line]


def words(app: hr.App) -> hr.KGroupedStream[str, str]:
    return app.stream("words", key=hr.STRING, value=hr.STRING).group_by_key()


def test_values_of_a_type_that_nobody_knows() -> None:
    app = hr.App("app")
    words(app).aggregate(list, lambda _, word, all_of: [*all_of, word], store="all", ttl="1d")
    words(app).aggregate(list, lambda _, word, all_of: [*all_of, word])
    (line,) = told(app)
    assert line.startswith("store all cannot be asked, the type of its values is object (test_unasked.py:")
    assert line.endswith("): say it: list[str] instead of list, or a function with an annotation, -> list[str]")


def test_tables_by_windows_that_a_function_makes_can_be_asked() -> None:
    app = hr.App("app")
    counts = words(app).windowed_by(hr.tumbling("1m")).count(store="counts")
    counts.group_by(lambda at, n: (hr.Windowed(at.key[:1], at.start, at.end), n)).count(store="letters")
    assert "topic app-letters-changelog (SESSION STRING, INT64)" in app.describe()
    assert told(app) == []
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("words").pipe("x", key="ann", ts=70_000)
    assert driver.store("letters").all() == {hr.Windowed("a", 60_000, 120_000): 1}


def test_tables_that_every_task_has() -> None:
    app = hr.App("app")
    users = app.global_table("users", key=hr.STRING, value=hr.STRING, store="users")
    app.stream("words", key=hr.STRING, value=hr.STRING).join(users, lambda a, b: a + b, on=hr.key).to("out")
    (line,) = told(app)
    assert line.startswith("store users cannot be asked, every task has all of it (test_unasked.py:")


def test_names_that_are_too_long_for_a_topic() -> None:
    app = hr.App("a" * 100)
    words(app).count(store="s" * 150)
    (line,) = told(app)
    assert "cannot be asked, its topic would have 261 characters (" in line


@dataclass
class Word:
    text: str


def no_words() -> list[Word]:
    return []


@pytest.mark.parametrize(
    ("initial", "returned", "told"),
    [
        (list[Word], None, "list[Word]"),
        (list, list[Word], "list[Word]"),
        (no_words, None, "list[Word]"),
        (dict[str, Word], None, "dict[str, Word]"),
        (dict, dict[str, list[int]], "dict[str, list[int]]"),
        (lambda: (0, 0.0), tuple[int, float], "tuple[int, float]"),
        (list[tuple[str, int]], None, "list[tuple[str, int]]"),
        (dict[str, dict[str, tuple[int, Word]]], None, "dict[str, dict[str, tuple[int, Word]]]"),
        (Word, None, "Word"),
    ],
)
def test_types_that_are_annotated(initial: Any, returned: Any, told: str) -> None:
    def add(_: str, word: str, so_far: Any) -> Any:
        for letter in word:
            print(letter)
        return so_far

    if returned is not None:
        add.__annotations__["return"] = returned
    app = hr.App("app")
    begin = (lambda: Word("")) if initial is Word else initial
    words(app).aggregate(begin, add, store="all")
    assert f"topic app-all-changelog (STRING, JSON({told}))" in app.describe()
    assert "cannot be asked" not in app.describe()


@pytest.mark.parametrize("queryable", [True, False])
def test_nothing_is_said_of_what_can_be_asked_or_need_not(queryable: bool) -> None:
    app = hr.App("app", queryable=queryable)
    words(app).count(store="n")
    if not queryable:
        words(app).aggregate(list, lambda _, word, all_of: [*all_of, word], store="all")
    app.add_state_store(hr.stores.key_value("own", key=hr.STRING, value=hr.STRING))
    app.stream("lines").process(lambda _record, _context: None, stores=("own",))
    assert told(app) == []
