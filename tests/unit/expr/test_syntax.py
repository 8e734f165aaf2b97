"""Expressions are built with Python's syntax, print as it, and say what to write where Python leaves no choice."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest

from headrace.errors import NotTraceable, NumberTooLarge
from headrace.expr import Expr, key, lit, timestamp, value, when
from headrace.expr.syntax import tree_of
from headrace.functions import coalesce, contains, floating, integer, is_null, length, text


class Colour(str, Enum):  # noqa: UP042 (a StrEnum prints as its value)
    """A str that prints as something else."""

    RED = "red"


@pytest.mark.parametrize(
    ("expr", "printed"),
    [
        (value.lower().split(), "value.lower().split()"),
        (value.split(","), "value.split(',')"),
        ((value + 1) * 2, "(value + 1) * 2"),
        (value + 1 * 2, "value + 2"),
        (value - (value - 1), "value - (value - 1)"),
        (value - value - 1, "value - value - 1"),
        (-value * -2, "-value * -2"),
        (-(value + 1), "-(value + 1)"),
        (7 // value % 3, "7 // value % 3"),
        (1 / value, "1 / value"),
        (~(value == "a") | (key < "b") & (key >= "a"), "~(value == 'a') | (key < 'b') & (key >= 'a')"),
        ((value < 1) == (key > 2), "(value < 1) == (key > 2)"),
        (True & (value != 1), "True & (value != 1)"),
        ((key + value).upper(), "(key + value).upper()"),
        ((-value).is_null(), "(-value).is_null()"),
        ("<" + value + ">", "'<' + value + '>'"),
        (when(value > 1, "a").when(value > 0, None).otherwise("c"),
         "hr.when(value > 1, 'a').when(value > 0, None).otherwise('c')"),
        (coalesce(key, value, "x"), "F.coalesce(key, F.coalesce(value, 'x'))"),
        (length(value) + integer(text(floating(key))), "F.length(value) + F.integer(F.text(F.floating(key)))"),
        (contains(value, "a") & is_null(key), "F.contains(value, 'a') & F.is_null(key)"),
        (lit([(key, 1.5), (b"x", timestamp)]), "[(key, 1.5), (b'x', timestamp)]"),
        (lit(Colour.RED), "Colour.RED"),
        (value.amount, "value.amount"),
        (10 - value, "10 - value"),
        (2 * value, "2 * value"),
        (False | (value == 1), "False | (value == 1)"),
        (7 % value, "7 % value"),
        (value >= 1, "value >= 1"),
    ],
    ids=repr,
)  # fmt: skip
def test_an_expression_prints_as_python(expr: Expr, printed: str) -> None:
    assert repr(expr) == printed


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (
            bool,
            "`if`, `and`, `or`, `not`, `in (...)` and `a < b < c` need the value now: use hr.when(...).otherwise(...)",
        ),
        (lambda x: x and 1, "& | ~"),
        (lambda x: 1 < x < 5, "`a < b < c`"),
        (lambda x: x in ("a", "b"), "`in (...)`"),
        (list, "going through it with `for`, `*` or list() needs the value now"),
        (lambda x: [*x], "going through it with `for`, `*` or list() needs the value now"),
        (len, "len() needs the value now: use F.length(...)"),
        (lambda x: "a" in x, "`in` needs the value now: use F.contains(...)"),
        (lambda x: x[::2], "a slice with a step is not supported yet, but for [::-1]"),
        (str, "an f-string, str(), print() or % needs the value now: use + and F.text(...)"),
        (lambda x: f"{x}", "an f-string, str(), print() or % needs the value now: use + and F.text(...)"),
        (lambda x: f"{x:>5}", "an f-string, str(), print() or % needs the value now: use + and F.text(...)"),
        (lambda x: "%s" % x, "an f-string, str(), print() or % needs the value now: use + and F.text(...)"),  # noqa: UP031
        (lambda x: {"a": 1}[x], "looking it up in a set or dict needs the value now"),
        (lambda x: x in {"a"}, "looking it up in a set or dict needs the value now"),
        (int, "int() needs the value now: use F.integer(...)"),
        (float, "float() needs the value now: use F.floating(...)"),
        (range, "using it as an index or in range() needs the value now"),
        (bytes, "bytes() needs the value now"),
        (lambda x: x.split(sep=","), "split() takes no arguments by name here (sep=): give them in order"),
        (lambda x: x + "\ud800", "'\\ud800' has no UTF-8 form"),
        (lambda x: x == (1,), "a tuple of 1: it needs at least two"),
        (lambda x: x == {1: 2}, "the keys of a dict have to be str"),
        (lambda x: x + when(x == 1, 2), "hr.when(...) needs .otherwise(...)"),
    ],
)
def test_what_needs_the_value_now_says_what_to_write(use: Callable[[Expr], Any], reason: str) -> None:
    with pytest.raises(NotTraceable) as caught:
        use(value)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("an expression can only run in Python: ")
    assert (caught.value.where or "").startswith("test_syntax.py:")


def test_pythons_own_protocols_find_nothing() -> None:
    assert not hasattr(value, "__array__")
    assert not hasattr(value, "_repr_html_")
    assert not callable(value)


def test_expressions_are_compared_by_their_trees() -> None:
    assert tree_of(value + 1) == tree_of(value + 1)
    assert tree_of(value + 1) != tree_of(value + True)
    assert tree_of(value + 1) != tree_of(value + 1.0)
    assert len({tree_of(value.lower()), tree_of(value.lower())}) == 1


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_a_number_past_64_bits(number: int) -> None:
    makers: list[Callable[[], Expr]] = [lambda: value + number, lambda: lit(number), lambda: lit([1, number])]
    for make in makers:
        with pytest.raises(NumberTooLarge) as caught:
            make()
        assert str(caught.value).startswith(f"{number} does not fit 64 bits\n  at: test_syntax.py:")
        assert str(caught.value).endswith("to do: use a number from -2**63 to 2**63 - 1, or a Decimal")


def test_an_expression_cannot_be_changed() -> None:
    with pytest.raises(NotTraceable, match=r"`\.amount = \.\.\.` changes the value in place: make a new one"):
        setattr(value, "amount", 3)  # noqa: B010
