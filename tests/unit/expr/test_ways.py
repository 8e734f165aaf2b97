"""What users write first becomes an expression: choices, conditions, f-strings, builtins, functions of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.errors import NotTraceable, WrongType
from headrace.expr import Opaque, bind, trace
from headrace.model.records import record_type
from headrace.model.types import FLOAT
from headrace.plan.nodes import Filter, MapValues

LIMIT, KNOWN, NOTHING, WORD = 3, {"a"}, None, re.compile("[a-z]+|x")


class Kind(Enum):
    NEW = "new"


def size(v: Any, most: int = 10) -> Any:
    if v is None:
        return "none"
    if 0 <= v < LIMIT or v == most:
        return "some"
    left = v - most
    return f"{left} more"


def either(v: Any) -> Any:
    return size(v.count) if v.kind is Kind.NEW else shortened(v.name)


def shortened(text: Any) -> Any:
    parts = []
    parts.append(text[:2])
    if len(text) > 2:
        parts.append("...")
    return "".join(parts)


def first_word(text: Any) -> Any:
    found = WORD.search(text)
    if not found:
        return "none"
    return found.group()


def closed(limit: int) -> Callable[[Any], Any]:
    return lambda v: "more" if v > limit else "less"


@pytest.mark.parametrize(
    ("function", "printed"),
    [
        (lambda v: v or "x", "value if bool(value) else 'x'"),
        (lambda v: v and v.upper(), "value.upper() if bool(value) else value"),
        (lambda v: not v, "~bool(value)"),
        (lambda v: v > 1 and v < 5, "(value > 1) & (value < 5)"),
        (lambda v: 1 < v < 5, "(value > 1) & (value < 5)"),
        (lambda v: v < 1 or v > 5, "(value < 1) | (value > 5)"),
        (lambda v: not (v > 1 and v < 3), "~(value > 1) | ~(value < 3)"),
        (lambda v: (v > 1 and v < 3) or v == 9, "(value > 1) & (value < 3) | (value == 9)"),
        (lambda v: v is None, "F.is_null(value)"),
        (lambda v: v is not NOTHING and len(v) > LIMIT, "~F.is_null(value) & (F.length(value) > 3)"),
        (lambda v: v.kind is Kind.NEW, "value.kind == Kind.NEW"),
        (lambda v: v in ("a", "b"), "(value == 'a') | (value == 'b')"),
        (lambda v: v not in KNOWN, "~(value == 'a')"),
        (lambda v: "a" in v, "F.contains(value, 'a')"),
        (lambda v: v in "abc", "F.contains('abc', value)"),
        (lambda v: 1 if v else 2, "1 if bool(value) else 2"),
        (lambda v: f"<{v}>", "'<' + F.text(value) + '>'"),
        (lambda v: f"{LIMIT:>3}{v!s}", "'  3' + F.text(value)"),
        (lambda v: f"{v:.2f}|{v!s:>9}", "format(value, '.2f') + '|' + format(F.text(value), '>9')"),
        (
            lambda v: f"{v}/{v:.1f}{LIMIT}{{",
            "F.text(value) + '/' + format(value, '.1f') + '3' + '{'",
        ),
        (lambda v: {"a": 1, "b": 2}.get(v, 0), "1 if value == 'a' else 2 if value == 'b' else 0"),
        (lambda v: str(int(v)), "F.text(F.integer(value))"),
        (lambda v: "-".join([v, "x"]), "'-'.join([value, 'x'])"),
        (lambda v: any(v.startswith(one) for one in ("a", "b")), "value.startswith('a') | value.startswith('b')"),
        (lambda v: v.endswith(("a", "b")), "value.endswith('a') | value.endswith('b')"),
        (lambda v: "yes" if re.search("a+", v) else "no", "'yes' if F.has_match(value, 'a+') else 'no'"),
        (lambda v: WORD.match(v) is None, "~F.has_match(value, '^(?:[a-z]+|x)')"),
        (lambda v: bool(re.fullmatch(r"(?a)\d+", v)), "F.matches(value, '(?a)\\\\d+')"),
        (first_word, "F.first_match(value, '[a-z]+|x') if F.has_match(value, '[a-z]+|x') else 'none'"),
        (lambda v: re.sub("a", "b", v), "F.replace_matches(value, 'a', 'b')"),
        (lambda v: re.findall("[a-z]+", v), "F.all_matches(value, '[a-z]+')"),
        (lambda v: min(v, LIMIT), "3 if value > 3 else value"),
        (closed(7), "'more' if value > 7 else 'less'"),
        (shortened, "''.join([value[:2], '...']) if F.length(value) > 2 else ''.join([value[:2]])"),
        (
            size,
            "'none' if F.is_null(value) else"
            " 'some' if (value >= 0) & (value < 3) | (value == 10) else F.text(value - 10) + ' more'",
        ),
        (lambda v: shortened(v), "''.join([value[:2], '...']) if F.length(value) > 2 else ''.join([value[:2]])"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_read(function: Any, printed: str) -> None:
    assert repr(trace(function, ("value",), "app.py:1", "map_values")) == printed


def test_functions_of_functions() -> None:
    told = repr(trace(either, ("value",), "app.py:1", "map_values"))
    assert told.startswith("('none' if F.is_null(value.count) else 'some'")
    assert told.endswith("''.join([value.name[:2], '...']) if F.length(value.name) > 2 else ''.join([value.name[:2]])")


def many(v: Any) -> Any:
    return [1 if v == number else 2 for number in range(9)]


def unused(v: Any) -> Any:
    whole = int(v)
    return whole if v else 0


def endless(v: Any) -> Any:
    while v:
        v = v - 1
    return v


def telling(v: Any) -> Any:
    if v > LIMIT:
        print("large")
    return v


class Counter:
    seen = 0

    def __call__(self, v: Any) -> Any:
        self.seen += 1
        return self.seen if v else 0


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (many, "there are more than 64 ways through it"),
        (unused, "`F.integer(value)` is not part of the result: what it does is not seen"),
        (endless, "it asks for too many conditions, one behind the other"),
        (telling, "`print('large')` is not part of the result: what it does is not seen"),
        (lambda v: print(v), "what print() does is not seen"),
        (Counter(), "`.seen = ...` changes the value in place"),
        (lambda v: re.search("(a)b", v).group(1), "groups of a match need the value now"),  # type: ignore[union-attr]
        (lambda v: re.search("ab", v).group(), "AttributeError: 'NoneType' object has no attribute 'group'"),  # type: ignore[union-attr]
        (lambda v: re.search(r"\d", v), "pattern='\\\\d' is not possible: "),
        (lambda v: re.search("a", v, re.IGNORECASE), "re.search() with flags, places or counts"),
        (lambda v: v is True, "`is` compares now, before there is a value, but with None and members of an Enum"),
        (eval("lambda v: 1 if v else 2"), "`if`, `and`, `or`, `not`, `in (...)` and `a < b < c` need the value now"),
    ],
)
def test_what_is_not(function: Any, reason: str) -> None:
    with pytest.raises(NotTraceable) as caught:
        trace(function, ("value",), "app.py:1", "map_values")
    assert str(caught.value).startswith(f"the function of map_values can only run in Python: {reason}")


@dataclass
class Order:
    amount: float | None
    paid: bool


class Asked(Enum):
    YES = "yes"
    NO = "no"

    def __bool__(self) -> bool:
        return self is Asked.YES


@dataclass
class Reply:
    order: Order | None
    kind: Kind | None
    asked: Asked | None


def app_of(**ops: Any) -> Any:
    app = Builder("app")
    stream = app.stream("in", key=hr.STRING, value=hr.json(Order))
    for op, function in ops.items():
        getattr(stream, op)(function).to("out", **({"value": hr.INT64} if op == "map_values" else {}))
    return app.plan()


def test_a_predicate_may_be_of_any_type() -> None:
    found = app_of(filter=lambda _, v: v.amount and v.paid).of(Filter)[0].predicate
    assert str(found) == "bool(value.amount) & bool(value.paid)"


def test_what_is_there_is_true_if_its_class_does_not_say_otherwise() -> None:
    def bound(function: Any) -> Any:
        return bind(trace(function, ("value",), "here"), {"value": record_type(Reply, "here")}, "here")

    for function in (lambda v: v.order and v.kind and "both", lambda v: "there" if v.order else None):
        for value in (Reply(None, None, None), Reply(Order(0.0, False), Kind.NEW, None), Reply(None, Kind.NEW, None)):
            assert bound(lambda v, f=function: bool(f(v))).python()({"value": value}) == bool(function(value))
    with pytest.raises(WrongType):
        bound(lambda v: 1 if v.asked else 2)


@dataclass
class Checked:
    amount: int
    paid: bool

    def __post_init__(self) -> None:
        assert self.amount > 0


def test_a_record_with_other_fields() -> None:
    def bound(function: Any, cls: type) -> Any:
        return bind(trace(function, ("value",), "here"), {"value": record_type(cls, "here")}, "here")

    paid = bound(lambda v: replace(v, paid=True) if v.amount else v, Order)
    assert paid.python()({"value": Order(1.5, False)}) == Order(1.5, True)
    assert str(paid) == "replace(value, paid=True) if bool(value.amount) else value"
    with pytest.raises(NotTraceable, match=r"replace\(\) of Checked runs its own code"):
        bound(lambda v: replace(v, paid=True), Checked)
    with pytest.raises(NotTraceable, match="is no replacement of some fields"):
        bound(lambda v: replace(v, total=True), Order)
    with pytest.raises(TypeError, match="None has no field"):
        bound(lambda v: replace(v, paid=True), Order).python()({"value": None})


def test_an_int_becomes_a_float_where_the_function_says_so() -> None:
    def paid(v: Order) -> float:
        return v.amount if v.paid and v.amount else 0

    app = Builder("app")
    app.stream("in", key=hr.STRING, value=hr.json(Order)).map_values(paid).to("out")
    found = app.plan().of(MapValues)[0].value
    assert found.type == FLOAT
    assert found.python()({"value": Order(None, True)}) == 0.0


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda v: 0 if v.amount is None else v.amount, "it gives int on one of its ways and float on another"),
        (lambda v: f"{v.paid}" if v.paid else v.mout, "Order has no field mout"),
        (lambda v: f"{v.amount:e}", "the format 'e' of float is only known to Python"),
        (lambda v: len(v.amount), "`F.length(value.amount)` is F.length(float)"),
    ],
)
def test_what_does_not_fit_stays_python_code(function: Any, reason: str) -> None:
    found = app_of(map_values=function).of(MapValues)[0].value
    assert isinstance(found, Opaque)
    assert found.reason.startswith(reason)
