"""Types: which row of the table is taken, what comes out, and what is said when nothing fits."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import PlanError, UnknownName, WrongType
from headrace.expr import Bound, Expr, bind, key, lit, timestamp, value, when
from headrace.functions import coalesce, contains, is_null, length, text
from headrace.model.types import BOOL, BYTES, FLOAT, INT, NONE, STR, Type, list_of, pair_of

TYPES = {"key": STR, "value": INT, "timestamp": INT}


def on(expr: Expr, type_: Type = STR) -> Bound:
    return bind(expr, {"key": STR, "value": type_, "timestamp": INT}, "app.py:1")


@pytest.mark.parametrize(
    ("expr", "of", "type_", "nullable"),
    [
        (value, STR, STR, True),
        (timestamp, STR, INT, False),
        (value.lower(), STR, STR, False),
        (value.split(), STR, list_of(STR), False),
        (value + 1, INT, INT, False),
        (value + 1.5, INT, FLOAT, False),
        (1 + value, FLOAT, FLOAT, False),
        (value / 2, INT, FLOAT, False),
        (value == None, STR, BOOL, False),  # noqa: E711
        (value == 1.5, INT, BOOL, False),
        (value < b"x", BYTES, BOOL, False),
        (when(value > 1, "a").otherwise(None), INT, STR, True),
        (when(value > 1, "a").otherwise("b"), INT, STR, False),
        (when(value > 1, value).otherwise(0.5), INT, FLOAT, True),
        (when(value > 1, None).otherwise(None), INT, NONE, True),
        (when(value == "", []).otherwise(value.split()), STR, list_of(STR), False),
        (coalesce(value, "x"), STR, STR, False),
        (coalesce(value, key), STR, STR, True),
        (coalesce(None, value), STR, STR, True),
        (is_null(value), STR, BOOL, False),
        (value.is_null(), FLOAT, BOOL, False),
        (length(value.split()), STR, INT, False),
        (text(value), BOOL, STR, False),
        (lit(None), STR, NONE, True),
        (lit([]), STR, list_of(NONE), False),
        (lit([1, 2.5, None]), STR, list_of(FLOAT), False),
        (lit([(key, 1), (None, None)]), STR, list_of(pair_of(STR, INT)), False),
        (lit((key, value)), FLOAT, pair_of(STR, FLOAT), False),
    ],
    ids=repr,
)
def test_types_and_whether_none_may_come_out(expr: Expr, of: Type, type_: Type, nullable: bool) -> None:
    bound = on(expr, of)
    assert (bound.type, bound.nullable, str(bound)) == (type_, nullable, repr(expr))


@pytest.mark.parametrize(
    ("expr", "of", "error", "message"),
    [
        (value + 1, STR, WrongType, "`value + 1` is str + int, str + str is needed"),
        (value == 1, STR, WrongType, "`value == 1` is str == int, str == str is needed"),
        (value & True, INT, WrongType, "`value & True` is int & bool, bool & bool is needed"),
        (-value, STR, WrongType, "`-value` is -str, -int or -float or -Decimal is needed"),
        (
            value.startswith(1),
            STR,
            WrongType,
            "`value.startswith(1)` is str.startswith(int), str.startswith(str) is needed",
        ),
        (
            value.split(1),
            STR,
            WrongType,
            "`value.split(1)` is str.split(int), str.split(str) is needed",
        ),
        (value + None, STR, WrongType, "`value + None` is str + None, "),
        (length(value), INT, WrongType, "`F.length(value)` is F.length(int), F.length(str) or F.length(bytes) or "),
        (
            contains(value, 1),
            STR,
            WrongType,
            "`F.contains(value, 1)` is F.contains(str, int), F.contains(str, str) is",
        ),
        (when(value, 1).otherwise(2), STR, WrongType, "`hr.when(value, 1).otherwise(2)` is hr.when(str, int, int), "),
        (when(value == "", 1).otherwise("x"), STR, WrongType, "hr.when(bool, T, T) is needed"),
        (lit([1, value]), STR, WrongType, "value in `[1, value]` is str, int like those before it is needed"),
        (
            lit([[1], [value]]),
            FLOAT,
            WrongType,
            "[value] in `[[1], [value]]` is list[float], list[int] like those before",
        ),
        (value.lowr(), STR, UnknownName, "str has no method lowr()"),
        (value.lower(), INT, UnknownName, "int has no method lower()"),
        (lit(None).lower(), INT, UnknownName, "None has no method lower()"),
        (value.lower, STR, UnknownName, "str has no field lower"),
        (value.amount, STR, UnknownName, "str has no field amount"),
    ],
    ids=repr,
)
def test_what_does_not_fit_is_named_with_its_line(expr: Expr, of: Type, error: type[PlanError], message: str) -> None:
    with pytest.raises(error) as caught:
        on(expr, of)
    assert message in caught.value.what
    assert (caught.value.where or "").startswith("test_bind.py:")


@pytest.mark.parametrize("expr", [value.lower(), value["name"], value == "a", length(value.upper())])
def test_bytes_where_text_is_meant_hint_at_the_serde(expr: Expr) -> None:
    with pytest.raises(PlanError) as caught:
        on(expr, BYTES)
    assert "value=hr.STRING (or key=) for text" in str(caught.value)


@pytest.mark.parametrize(
    ("expr", "fix"),
    [
        (value.lowr(), "did you mean lower() or islower()?"),
        (value.starts_with("a"), "did you mean startswith()?"),
        (value.lower, "did you mean lower() or islower()?"),
        (length(value).foo(), "there are bit_length(), bit_count(), is_null()"),
    ],
    ids=repr,
)
def test_a_wrong_name_gets_a_better_one(expr: Expr, fix: str) -> None:
    with pytest.raises(UnknownName) as caught:
        on(expr)
    assert caught.value.fix == fix


def test_a_symbol_that_is_not_there() -> None:
    with pytest.raises(UnknownName) as caught:
        bind(key + "x", {"value": STR}, "app.py:1")
    assert str(caught.value) == "hr.key is not known here\n  at: app.py:1\n  to do: there are hr.value"


@pytest.mark.parametrize(
    ("expr", "sql"),
    [
        (value.lower(), "hr_lower(hr_some(`v`, 'None has no lower()'))"),
        (value.lower().upper(), "hr_upper(hr_lower(hr_some(`v`, 'None has no lower()')))"),
        (value + "it's", "concat(hr_some(`v`, 'None cannot be used with +'), CAST(X'69742773' AS STRING))"),
        (value == None, "(`v` <=> CAST(NULL AS string))"),  # noqa: E711
        (timestamp // 1000, "hr_int_floordiv(`t`, 1000L)"),
        (lit((key, -1)), "named_struct('key', `k`, 'value', (-1L))"),
        (lit([]), "CAST(array() AS array<void>)"),
        (when(value == "a", 1).otherwise(None), "(CASE WHEN (`v` <=> 'a') THEN 1L ELSE CAST(NULL AS bigint) END)"),
    ],
    ids=repr,
)
def test_the_catalyst_form(expr: Expr, sql: str) -> None:
    assert on(expr).sql({"key": "`k`", "value": "`v`", "timestamp": "`t`"}) == sql


def test_what_cannot_be_none_is_not_checked() -> None:
    bound = bind(value.lower(), {"value": STR}, "app.py:1", nullable=())
    assert bound.sql({"value": "v"}) == "hr_lower(v)"


@pytest.mark.parametrize(
    ("expr", "given", "result"),
    [
        (value.lower().split(), "A b", ["a", "b"]),
        (lit([(value, 1), ("x", 2.5)]), "a", None),
        (when(value == "a", 1).when(value == "b", 2).otherwise(None), "b", 2),
        (is_null(value) | (length(value) > 3), None, True),
        (~is_null(value) & value.startswith("a"), None, False),
        (coalesce(value, "none").upper(), None, "NONE"),
        (lit([length(value), 0.5]), "abc", [3.0, 0.5]),
        (value.replace("a", "b"), "aa", "bb"),
        (lit((value, None)), "a", ("a", None)),
        (text(None) + text(True), "", "NoneTrue"),
    ],
    ids=repr,
)
def test_the_python_form(expr: Expr, given: Any, result: object) -> None:
    if result is None:
        with pytest.raises(WrongType):
            on(expr)
        return
    assert on(expr).python()({"value": given}) == result


@pytest.mark.parametrize(
    ("expr", "of", "given", "error", "words"),
    [
        (value.lower(), STR, None, TypeError, "None has no lower()"),
        (lit("a").startswith(value), STR, None, TypeError, "startswith() does not take None"),
        (value < 1, INT, None, TypeError, "None cannot be used with <"),
        (length(value), STR, None, TypeError, "F.length() does not take None"),
        (value + 1, INT, 2**63 - 1, OverflowError, "the result does not fit 64 bits"),
        (value // -1, INT, -(2**63), OverflowError, "the result does not fit 64 bits"),
        (-value, INT, -(2**63), OverflowError, "the result does not fit 64 bits"),
        (1 // value, INT, 0, ZeroDivisionError, "division by zero"),
        (1.0 % value, FLOAT, -0.0, ZeroDivisionError, "division by zero"),
        (value.split(lit("")), STR, "a", ValueError, "empty separator"),
    ],
    ids=repr,
)
def test_the_python_form_refuses_in_words(expr: Expr, of: Type, given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        on(expr, of).python()({"value": given})
    assert str(caught.value) == words


def test_bound_expressions_are_values() -> None:
    assert on(value.lower()) == on(value.lower())
    assert on(value.lower()) != on(value.upper())
    assert len({on(value.lower()), on(value.lower())}) == 1
