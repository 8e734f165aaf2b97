"""What rows of a table say about None, overflow and failure: the Python form, and whether None may come out."""

from __future__ import annotations

from typing import Any

import pytest

import headrace.types as T
from conformance.query_functions import QUERIES
from headrace.errors import UnknownName
from headrace.expr import Bound, bind
from headrace.expr.functions import PYTHON
from headrace.expr.syntax import Expr
from headrace.expr.tree import Call, Literal, Symbol, Tree
from headrace.model.types import BOOL, INT, INT32, STR, Type

TYPES: dict[str, Type] = {"small": INT32, "big": INT, "text": STR}
SMALL, BIG, TEXT = (Symbol(name) for name in TYPES)


def bound_of(tree: Tree, nullable: tuple[str, ...] = tuple(TYPES)) -> Bound:
    return bind(Expr(tree), TYPES, "here", nullable, QUERIES)


def call(name: str, *args: Tree) -> Call:
    return Call(name, args)


@pytest.mark.parametrize(
    ("tree", "values", "result", "type_"),
    [
        (call("+", SMALL, SMALL), {"small": 2**30}, -(2**31), INT32),
        (call("*", BIG, BIG), {"big": 2**62 + 3}, (2**62 + 3) ** 2 % 2**64 - 2**64, INT),
        (call("+", SMALL, BIG), {"small": 2**30, "big": 2**31}, 2**30 + 2**31, INT),
        (call("-", BIG, SMALL), {"small": None, "big": 1}, None, INT),
        (call("<", SMALL, BIG), {"small": None, "big": 1}, False, BOOL),
        (call("<", SMALL, BIG), {"small": 0, "big": 1}, True, BOOL),
        (call("/", BIG, SMALL), {"small": 0, "big": 7}, None, INT),
        (call("/", BIG, SMALL), {"small": -1, "big": -(2**63)}, None, INT),
        (call("cast_int", TEXT), {"text": "7x"}, None, INT),
        (call("cast_int", TEXT), {"text": "7"}, 7, INT),
        (call("+", call("cast_int", TEXT), BIG), {"text": "x", "big": 1}, None, INT),
        (call("cast_int32", BIG), {"big": 2**32 + 5}, 5, INT32),
    ],
    ids=str,
)
def test_a_row_says_what_becomes_of_null_overflow_and_failure(
    tree: Tree, values: dict[str, Any], result: object, type_: Type
) -> None:
    bound = bound_of(tree)
    assert (bound.python()(values), bound.type) == (result, type_)


def test_an_overflow_that_raises() -> None:
    exact = bound_of(call("exact_int32", BIG)).python()
    assert exact({"big": 2**31 - 1}) == 2**31 - 1
    with pytest.raises(OverflowError, match="the result does not fit 32 bits"):
        exact({"big": 2**31})
    with pytest.raises(TypeError, match=r"exact_int32\(\) does not take None"):
        exact({"big": None})


@pytest.mark.parametrize(
    ("tree", "with_none", "without"),
    [
        (call("+", BIG, BIG), True, False),
        (call("<", BIG, BIG), False, False),
        (call("/", BIG, BIG), True, True),
        (call("exact_int32", BIG), False, False),
    ],
    ids=str,
)
def test_whether_none_may_come_out(tree: Tree, with_none: bool, without: bool) -> None:
    assert (bound_of(tree).nullable, bound_of(tree, ()).nullable) == (with_none, without)


def test_the_catalyst_form_says_the_same() -> None:
    assert bound_of(call("+", SMALL, SMALL)).sql({"small": "s"}) == "hr_int32_add_wraps(s, s)"
    assert bound_of(call("<", BIG, BIG)).sql({"big": "b"}) == "coalesce((b < b), FALSE)"
    assert bound_of(call("cast_int", TEXT)).sql({"text": "t"}) == "hr_attempt(hr_text_int(t))"
    plain = bind(Expr(call("+", BIG, BIG)), TYPES, "here", ())
    assert plain.sql({"big": "b"}) == "hr_int_add(b, b)"


def test_a_field_of_none_is_none_where_the_language_says_so() -> None:
    line = T.record({"n": T.Int32})
    field = Expr(call("[]", Symbol("value"), Literal("n", STR)))
    found = bind(field, {"value": line}, "here", functions=QUERIES)
    assert (found.python()({"value": None}), found.python()({"value": {"n": 3}}), found.nullable) == (None, 3, True)
    with pytest.raises(TypeError, match="None has no field n"):
        bind(field, {"value": line}, "here", functions=PYTHON).python()({"value": None})


def test_names_are_those_of_the_language() -> None:
    text = Expr(call(".lower", TEXT))
    assert bind(text, TYPES, "here").python()({"text": "A"}) == "a"
    with pytest.raises(UnknownName, match=r"str has no method lower\(\)"):
        bind(text, TYPES, "here", functions=QUERIES)
