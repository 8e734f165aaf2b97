"""A user's function becomes an expression, or an error with the user's line."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from random import random as chance
from typing import Any, NoReturn

import pytest

import headrace.functions as F
from headrace import expr as hr
from headrace.errors import NotTraceable, WrongParameters
from headrace.expr import only_computes, trace


def line_of(function: Callable[..., Any], below: int = 0) -> str:
    return f"test_trace.py:{function.__code__.co_firstlineno + below}"


def clean(text: Any) -> Any:
    return text.strip().lower()


def deep(text: Any) -> Any:
    return trying(text)


def in_steps(text: Any) -> Any:
    words = clean(text)
    return (words, F.length(words))


def trying(text: Any) -> Any:
    try:
        return json.loads(text)
    except Exception:
        return None


def matching(text: Any) -> Any:
    match text:
        case str():
            return 1
    return 2


def parsing(text: Any) -> Any:
    return json.loads(text)


def silent(text: Any) -> None:
    clean(text)


NOTED: list[Any] = []
KEPT: dict[str, Any] = {}
COUNTED = 0


def noting(text: Any) -> Any:
    NOTED.append(text)
    return text


def numbering(text: Any) -> Any:
    global COUNTED
    COUNTED += 1
    return text


def keeping(text: Any) -> Any:
    KEPT["last"] = text
    return text


class Shop:
    def name(self, text: Any) -> Any:
        return text.upper()

    def __call__(self, text: Any) -> Any:
        return text.lower()


def shown(v: Any) -> str:
    return repr(v)


def unsold(v: Any) -> NoReturn:
    raise KeyError(v)


@pytest.mark.parametrize(
    ("function", "printed"),
    [
        (lambda line: line.lower().split(), "value.lower().split()"),
        (in_steps, "(value.strip().lower(), F.length(value.strip().lower()))"),
        (lambda v: [(v, 1), (v + "x", 2)], "[(value, 1), (value + 'x', 2)]"),
        (lambda _: 7, "7"),
        (lambda _: [], "[]"),
        (hr.value + 1, "value + 1"),
        (Shop().name, "value.upper()"),
        (Shop(), "value.lower()"),
        (partial(lambda part, v: v + part, "x"), "value + 'x'"),
        (str.upper, "value.upper()"),
        (str.split, "value.split()"),
        (str, "F.text(value)"),
        (len, "F.length(value)"),
        (int, "F.integer(value)"),
        (float, "F.floating(value)"),
        (lambda v, extra="!": v + extra, "value + '!'"),
        (lambda *values: values[0], "value"),
        (lambda v: v + int(datetime(2024, 1, 1, tzinfo=UTC).timestamp()), "value + 1704067200"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",  # a repr with an address differs between processes
)
def test_a_function_is_called_once_with_symbols(function: Any, printed: str) -> None:
    assert repr(trace(function, ("value",), "app.py:1", "map_values")) == printed


def test_several_parameters() -> None:
    assert repr(trace(lambda k, v: (v, k), ("key", "value"), "app.py:1", "map")) == "(value, key)"


@pytest.mark.parametrize(
    ("function", "below", "reason"),
    [
        (parsing, 1, "json.loads() is code of a library, which needs the value now"),
        (matching, 2, "`match` needs the value now: use hr.when(...).otherwise(...)"),
        (lambda v: 1 if isinstance(v, str) else 2, 0, "isinstance() sees the expression, not the value"),
        (lambda v: type(v) == str, 0, "type() sees the expression, not the value"),  # noqa: E721
        (lambda v: [w for w in ["a", "b"] if w is v], 0, "`is` compares now"),
        (lambda _: random.random() < 0.1, 0, "random is read once, while the topology is declared"),
        (lambda _: chance() < 0.1, 0, "chance is read once, while the topology is declared"),
        (lambda v: v + F.text(int(time.time())), 0, "time is read once, while the topology is declared"),
        (lambda v: v + datetime.now().year, 0, "datetime is read once, while the topology is declared"),
        (lambda v: v.missing.lower() + undefined, 0, "NameError: name 'undefined' is not defined"),  # type: ignore[name-defined]  # noqa: F821
        (lambda v: f"{v!r}", 0, "!r, !a, or a format that is computed, needs the value now in an f-string"),
        (unsold, 1, "KeyError: value"),
        (lambda v: {v}, 0, "looking it up in a set or dict needs the value now"),
        (lambda v: hr.when(v == "a", 1), 0, "hr.when(...) needs .otherwise(...)"),
        (lambda v: (x for x in [v]), 0, "a generator cannot be part of an expression"),
        (noting, 1, "NOTED would change once, while the topology is declared, not for each record"),
        (numbering, 2, "COUNTED would change once, while the topology is declared, not for each record"),
        (keeping, 1, "KEPT would change once, while the topology is declared, not for each record"),
    ],
)
def test_what_cannot_be_traced_has_a_reason_and_a_line(function: Any, below: int, reason: str) -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(function, ("value",), "app.py:1", "map_values")
    assert str(caught.value).startswith(f"the function of map_values can only run in Python: {reason}")
    assert caught.value.where == line_of(function, below)


def test_what_was_noted_outside_is_left_alone() -> None:
    assert (NOTED, KEPT, COUNTED) == ([], {}, 0)


def test_what_is_computed_and_not_used_is_named() -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(silent, ("value",), "app.py:1", "map_values")
    assert "`clean(text)` is not part of the result: what it does is not seen" in str(caught.value)
    assert caught.value.where == line_of(silent, 1)


def test_a_list_that_the_function_makes_itself_may_grow() -> None:
    def listing(text: Any) -> Any:
        both = [text.lower()]
        both.append(text.upper())
        return both

    assert repr(trace(listing, ("value",), "app.py:1")) == "[value.lower(), value.upper()]"


def test_a_function_that_tries() -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(trying, ("value",), "app.py:1", "map_values")
    assert "`try` and `with` see no value yet: nothing fails until the application runs" in str(caught.value)
    assert caught.value.where in [line_of(trying, below) for below in (1, 2, 3)]  # Python's versions differ


def test_functions_that_a_function_names_are_looked_at_too() -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(lambda v: deep(v), ("value",), "app.py:1", "map_values")
    assert caught.value.where in [line_of(trying, below) for below in (1, 2, 3)]


def test_the_text_of_a_symbol_is_no_value() -> None:
    with pytest.raises(NotTraceable, match="needs the value now") as caught:
        trace(lambda v: shown(v) + "!", ("value",), "app.py:1", "map_values")
    assert caught.value.where == line_of(shown, 1)


def test_an_exception_of_the_function_is_the_cause() -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(unsold, ("value",), "app.py:1", "map_values")
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("function", "parameters", "message"),
    [
        (
            lambda k, v: k + v,
            ("value",),
            "the function of map_values takes 2 arguments (k, v), it is called with 1 argument: value",
        ),
        (
            lambda v: v,
            ("key", "value"),
            "the function of map_values takes 1 argument (v), it is called with 2 arguments: key, value",
        ),
        (lambda: 1, ("value",), "the function of map_values takes 0 arguments, it is called with 1 argument: value"),
    ],
)
def test_the_wrong_number_of_parameters(function: Any, parameters: tuple[str, ...], message: str) -> None:
    with pytest.raises(WrongParameters) as caught:
        trace(function, parameters, "app.py:1", "map_values")
    given = ", ".join(parameters)
    assert str(caught.value) == f"{message}\n  at: {line_of(function)}\n  to do: write it as lambda {given}: ..."


def test_a_builtin_that_cannot_be_traced_has_the_line_of_its_operator() -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(sorted, ("value",), "app.py:1", "map_values")
    assert caught.value.where == "app.py:1"


def again(text: Any) -> Any:
    return again(text) if SWITCH else text + "!"


SWITCH = 0


def test_functions_that_only_compute() -> None:
    assert only_computes(lambda v: v + "x" + F.text(SWITCH))
    assert only_computes(clean)
    assert only_computes(again)
    assert not only_computes(lambda v: print(v))
    assert not only_computes(lambda v: NOTED.append(v))
    assert not only_computes(noting)
    assert not only_computes(Shop().name)
