"""Tuples in expressions: built, taken apart, and as keys."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import WrongType
from headrace.expr import Expr, bind, key, lit, value
from headrace.expr.bound import Input
from headrace.expr.tree import Symbol
from headrace.expr.tuples import Given, ItemOf, WholeKey
from headrace.model.types import INT, STR, pair_of, tuple_of

TYPES = {"key": STR, "value": INT, "pair": pair_of(STR, INT), "three": tuple_of(STR, INT, STR)}
SOME = ("k", 7, 1)
COLUMNS = {name: f"`{name}`" for name in TYPES}


def symbol(name: str) -> Expr:
    return Expr(Symbol(name))


@pytest.mark.parametrize(
    ("expr", "type_", "sql", "found"),
    [
        (
            lit((key, value, 1)),
            "tuple[str, int, int]",
            "named_struct('_1', `key`, '_2', `value`, '_3', 1L)",
            ("k", 7, 1),
        ),
        (symbol("pair")[0], "str", "hr_some(`pair`, 'None has no [0]').`key`", "p"),
        (symbol("three")[-1], "str", "hr_some(`three`, 'None has no [2]').`_3`", "c"),
        (lit((key, value))[1] + 1, "int", None, 8),
    ],
    ids=["three", "first of a pair", "last of three", "of one written out"],
)
def test_both_forms(expr: Expr, type_: str, sql: str | None, found: Any) -> None:
    bound = bind(expr, TYPES, "app.py:1")
    assert str(bound.type) == type_
    assert sql is None or bound.sql(COLUMNS) == sql
    assert bound.python()({"key": "k", "value": 7, "pair": ("p", 1), "three": ("a", 2, "c")}) == found


def test_it_prints_as_it_was_written() -> None:
    assert str(bind(lit((key, value + 1, "a")), TYPES, "app.py:1")) == "(key, value + 1, 'a')"
    assert str(bind(symbol("three")[1], TYPES, "app.py:1")) == "three[1]"


def test_an_item_that_is_not_there() -> None:
    with pytest.raises(WrongType, match=r"`pair\[2\]`"):
        bind(symbol("pair")[2], TYPES, "app.py:1")


def test_none_has_no_items() -> None:
    with pytest.raises(TypeError, match=r"None has no \[0\]"):
        bind(symbol("pair")[0], TYPES, "app.py:1").python()({"pair": None})
    item = ItemOf(STR, True, "pair[0]", Input(TYPES["pair"], True, "pair", "pair"), 0, or_none=True)
    assert item.python()({"pair": None}) is None
    assert item.sql(COLUMNS) == "`pair`.`key`"


def test_a_key_is_whole_or_none() -> None:
    whole = WholeKey(TYPES["pair"], True, "pair", Input(TYPES["pair"], True, "pair", "pair"))
    assert whole.sql(COLUMNS) == "if(`pair`.`key` IS NULL OR `pair`.`value` IS NULL, NULL, `pair`)"
    key_of = whole.python()
    assert [key_of({"pair": pair}) for pair in (("a", 0), ("a", None), (None, 0), None)] == [("a", 0), None, None, None]


def test_an_expression_on_given_symbols() -> None:
    inner = bind(key + "!", {"key": STR}, "app.py:1")
    given = Given(STR, True, str(inner), inner, (("key", Input(STR, True, "left", "left")),))
    assert given.python()({"left": "a"}) == "a!"
    assert given.sql({"left": "`l`"}) == inner.sql({"key": "`l`"})
