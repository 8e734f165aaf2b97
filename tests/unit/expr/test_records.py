"""Records in expressions: fields, building, dicts, items, and the words for what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, TypedDict, cast

import pytest

import headrace as hr
import headrace.functions as F
from headrace.errors import HeadraceError, NotTraceable, UnknownName, WrongType
from headrace.expr import Bound, bind, trace
from headrace.model.records import record_type
from headrace.model.types import BYTES, DATETIME, INT, JSON, STR, Type, list_of
from headrace.model.windows import windowed_of


class Status(Enum):
    NEW = "new"
    PAID = "paid"


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Address:
    city: str
    code: int | None = None


@dataclass
class Order:
    customer: str
    amount: float
    address: Address | None = None
    items: list[str] = field(default_factory=list)
    scores: dict[str, int] = field(default_factory=dict)
    status: Status = Status.NEW
    colour: Colour = Colour.RED
    price: Decimal = Decimal(0)
    at: datetime = datetime(2024, 5, 31, tzinfo=UTC)
    rest: Any = None


@dataclass
class Asking:
    amount: float | None

    def __post_init__(self) -> None:
        if self.amount is None:
            self.amount = 0.0

    def double(self) -> float:
        return 2 * (self.amount or 0)


@dataclass
class Doubled:
    amount: float

    def __post_init__(self) -> None:
        self.amount = self.amount * 2


class Click(TypedDict):
    user: str
    page: int | None


ORDER = record_type(Order, "here")
CLICK = record_type(Click, "here")
ANN = Order("ann", 2.0, Address("Ulm"), ["a", "b"], {"x": 1}, rest={"k": [1, "two"], "n": None})


def traced(function: Callable[..., Any], type_: Type) -> Bound:
    return bind(trace(function, ("value",), "app.py:7", "map_values"), {"value": type_}, "app.py:7")


@pytest.mark.parametrize(
    ("function", "type_", "result"),
    [
        (lambda o: o.customer.upper(), "str", "ANN"),
        (lambda o: o.amount * 2, "float", 4.0),
        (lambda o: o.address.city, "str", "Ulm"),
        (lambda o: o.address.code, "int", None),
        (lambda o: F.if_null(o.address.code, 0) + 1, "int", 1),
        (lambda o: o.items[-1], "str", "b"),
        (lambda o: o.items[1:] + o.items, "list[str]", ["b", "a", "b"]),
        (lambda o: F.contains(o.items, "b"), "bool", True),
        (lambda o: F.length(o.items), "int", 2),
        (lambda o: o.scores["x"] + 1, "int", 2),
        (lambda o: o.scores.get("y"), "int", None),
        (lambda o: o.scores.get("y", 7), "int", 7),
        (lambda o: o.scores.keys(), "list[str]", ["x"]),
        (lambda o: F.contains(o.scores, "y"), "bool", False),
        (lambda o: o.status == Status.NEW, "bool", True),
        (lambda o: o.status != Status.PAID, "bool", True),
        (lambda o: o.colour == "red", "bool", True),
        (lambda o: o.colour == Colour.RED, "bool", True),
        (lambda o: o.colour.upper(), "str", "RED"),
        (lambda o: o.status.value + o.status.name, "str", "newNEW"),
        (lambda o: o.colour.value + o.colour.name, "str", "redRED"),
        (lambda o: F.text(o.status) + F.text(o.colour), "str", "Status.NEWred"),
        (lambda o: F.text(o.address), "str", "Address(city='Ulm', code=None)"),
        (lambda o: hr.Windowed(o.items, 1, 2).key, "list[str]", ["a", "b"]),
        (lambda o: o.price * 2 + Decimal("0.5"), "Decimal", Decimal("0.5")),
        (lambda o: o.at.year, "int", 2024),
        (lambda o: o.at < datetime(2025, 1, 1, tzinfo=UTC), "bool", True),
        (lambda o: o.address == Address("Ulm"), "bool", True),
        (lambda o: o.rest["k"][0], "json", 1),
        (lambda o: F.as_int(o.rest["k"][0]) + 1, "int", 2),
        (lambda o: F.as_str(o.rest["k"][1]), "str", "two"),
        (lambda o: o.rest.get("other"), "json", None),
        (lambda o: o.rest["k"][1] == "two", "bool", True),
        (lambda o: F.is_null(o.rest["n"]), "bool", True),
        (lambda o: Address(city=o.customer, code=len("ab")), "Address", Address("ann", 2)),
        (lambda o: Address(o.customer), "Address", Address("ann")),
        (lambda o: Doubled(o.amount), "Doubled", Doubled(2.0)),
        (lambda o: Doubled(F.length(o.items)).amount, "int", 4),
        (lambda o: {"who": o.customer, "n": 1}, "{'who': str, 'n': int}", {"who": "ann", "n": 1}),
        (lambda o: {"a": {"b": o.customer}}["a"]["b"], "str", "ann"),
        (lambda o: o, "Order", ANN),
        (lambda _: {}, "dict[str, None]", {}),
        (lambda o: hr.when(o.amount > 1, o.scores).otherwise({}), "dict[str, int]", {"x": 1}),
        (lambda o: hr.when(o.amount > 1, {"a": 1}).otherwise({"a": o.address.code}), "{'a': int | None}", {"a": 1}),
        (lambda o: Order(o.customer, o.amount), "Order", Order("ann", 2.0)),
    ],
)
def test_on_a_dataclass(function: Callable[..., Any], type_: str, result: object) -> None:
    bound = traced(function, ORDER)
    assert str(bound.type) == type_
    assert bound.python()({"value": ANN}) == result


def test_a_class_that_looks_at_its_fields_cannot_be_traced() -> None:
    with pytest.raises(NotTraceable, match="compares now, before there is a value") as caught:
        traced(lambda o: Asking(o.amount), ORDER)
    assert "at: test_records.py:" in str(caught.value)


@pytest.mark.parametrize("function", [lambda a: a.double(), lambda a: a.double])
def test_methods_of_a_class_are_python_code(function: Callable[..., Any]) -> None:
    with pytest.raises(NotTraceable, match=r"Asking\.double is Python code of its own"):
        traced(function, record_type(Asking, "here"))


def test_on_a_typed_dict() -> None:
    assert traced(lambda d: d["user"] + "!", CLICK).python()({"value": {"user": "a", "page": None}}) == "a!"
    assert traced(lambda d: d["page"], CLICK).nullable


def test_it_prints_as_it_was_written() -> None:
    assert str(traced(lambda o: Address(city=o.customer[1:3]), ORDER)) == "Address(city=value.customer[1:3], code=None)"
    assert str(traced(lambda d: {"u": d["user"][0]}, CLICK)) == "{'u': value['user'][0]}"
    assert str(traced(lambda o: (o.at.year + 1) ** 2, ORDER)) == "(value.at.year + 1) ** 2"


def test_the_catalyst_forms() -> None:
    columns = {"value": "v"}
    assert traced(lambda o: o.customer, ORDER).sql(columns) == "hr_some(v, 'None has no field customer').`customer`"
    assert traced(lambda s: {"a": s}, STR).sql(columns) == "named_struct('a', CAST(v AS string))"


@pytest.mark.parametrize(
    ("function", "of", "error", "words"),
    [
        (
            lambda o: o.custmer,
            ORDER,
            UnknownName,
            "Order has no field custmer\n  at: {}\n  to do: did you mean customer?",
        ),
        (
            lambda o: o.address.zip,
            ORDER,
            UnknownName,
            "Address has no field zip\n  at: {}\n  to do: there are city, code",
        ),
        (
            lambda w: w.begin,
            windowed_of(STR),
            UnknownName,
            "Windowed[str] has no field begin\n  at: {}\n  to do: there are key, start, end",
        ),
        (lambda w: w.window, windowed_of(STR), NotTraceable, "Windowed[str].window is an object of its own"),
        (lambda o: o.customer.city, ORDER, UnknownName, "str has no field city\n  at: {}"),
        (lambda d: d["usr"], CLICK, UnknownName, "Click has no field usr\n  at: {}\n  to do: did you mean user?"),
        (lambda d: d.user, CLICK, UnknownName, "Click has no field user\n  at: {}"),
        (lambda o: o["customer"], ORDER, WrongType, "`value['customer']` is Order[str], "),
        (lambda o: Address(city=o.amount), ORDER, WrongType, "Address.city is float, str is needed\n  at: {}"),
        (lambda _: Address(city=None), ORDER, WrongType, "Address.city is None, str is needed\n  at: {}"),  # type: ignore[arg-type]
        (
            lambda o: Address(o.customer, o.customer),
            ORDER,
            WrongType,
            "Address.code is str, int | None is needed\n  at: {}",
        ),
        (lambda o: o.items["a"], ORDER, WrongType, "`value.items['a']` is list[str][str], "),
        (lambda o: o.amount + o.customer, ORDER, WrongType, "`value.amount + value.customer` is float + str, "),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(
    function: Callable[..., Any], of: Type, error: type[HeadraceError], words: str
) -> None:
    with pytest.raises(error) as caught:
        traced(function, of)
    assert words.format(f"test_records.py:{function.__code__.co_firstlineno}") in str(caught.value)


@pytest.mark.parametrize(
    ("function", "of", "given", "words"),
    [
        (lambda o: o.customer, ORDER, None, "None has no field customer"),
        (lambda o: o.address.city, ORDER, Order("a", 1.0), "None has no field city"),
        (lambda s: Address(city=s), STR, None, "Address.city is None, str is needed"),
        (lambda s: s[3], STR, "abc", "there is no [3] in 3"),
        (lambda s: s[-4], STR, "abc", "there is no [-4] in 3"),
        (lambda s: s[1:], STR, None, "None has no items"),
        (lambda o: o.scores["y"], ORDER, ANN, "there is no 'y'"),
        (lambda v: v["a"], JSON, [], "a list has no ['a']"),
        (lambda v: v["a"], JSON, {}, "there is no 'a'"),
        (lambda v: v[0], JSON, {"a": 1}, "a dict has no [0]"),
        (lambda v: F.as_int(v), JSON, "x", "it is a str, an int is needed"),
        (lambda v: F.as_int(v), JSON, True, "it is a bool, an int is needed"),
        (lambda v: F.length(v), JSON, 1, "an int has no length"),
        (lambda d: d.year, DATETIME, None, "None has no year"),
    ],
)
def test_the_python_form_refuses_in_words(function: Callable[..., Any], of: Type, given: Any, words: str) -> None:
    with pytest.raises((TypeError, LookupError)) as caught:
        traced(function, of).python()({"value": given})
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("function", "of", "given", "result"),
    [
        (lambda s: s[0] + s[-1], STR, "a😀", "a😀"),
        (lambda s: s[:2], STR, "abc", "ab"),
        (lambda s: s[1:-1], STR, "abcd", "bc"),
        (lambda b: b[0], BYTES, b"\xff", 255),
        (lambda xs: F.contains(xs, 2), list_of(INT), [1, 2], True),
        (lambda xs: xs[0] + 1, list_of(INT), [1], 2),
        (lambda n: abs(n) + round(2.5) + n**2, INT, -3, 14),
        (lambda n: F.least(n, 5, 2), INT, 3, 2),
        (lambda s: F.join("-", s.split()), STR, "a b", "a-b"),
        (lambda s: F.concat(s, "x", s), STR, "a", "axa"),
        (lambda n: F.start_of_day(F.from_ms(n)).isoformat(), INT, 90_000_000, "1970-01-02T00:00:00+00:00"),
        (lambda s: F.first_match(s, "[0-9]+"), STR, "ab12c", "12"),
        (lambda s: F.replace_matches(s, r"(?a)\s+", " "), STR, "a \n b", "a b"),
    ],
)
def test_items_and_functions(function: Callable[..., Any], of: Type, given: Any, result: object) -> None:
    assert traced(function, of).python()({"value": given}) == result


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("a$", "'$' at 1 does not mean the same to Python and to Java"),
        (r"\d+", r"\d means other letters to Java: write (?a) in front"),
        (r"[\w]", r"[\w] means other letters to Java"),
        ("(?=a)", "'(?=a' at 0 does not mean the same"),
        (r"\bword", r"'\\bwo' at 0 does not mean the same"),
        ("[a&&b]", "at 0 does not mean the same"),
        ("(", "it is not a regular expression: missing ), unterminated subpattern"),
    ],
)
def test_patterns_that_python_and_java_read_differently(pattern: str, words: str) -> None:
    with pytest.raises(HeadraceError) as caught:
        F.matches(hr.value, pattern)
    assert words in str(caught.value)
    assert "at: test_records.py:" in str(caught.value)


def test_a_pattern_that_fits_nothing_cannot_be_found_again_and_again() -> None:
    with pytest.raises(HeadraceError, match="it fits where there is nothing"):
        F.all_matches(hr.value, "a*")


def test_fields_of_windowed_keys() -> None:
    types = {"key": windowed_of(STR), "value": INT}
    bound = bind(hr.key.key + "@" + F.text(hr.key.end - hr.key.start), types, "app.py:1")
    assert (str(bound.type), bound.python()({"key": hr.Windowed("ann", 5, 9)})) == ("str", "ann@4")
    span = bind(hr.key.window.end - hr.key.window.start, types, "app.py:1")
    assert (str(span.type), span.python()({"key": hr.Windowed("ann", 5, 9)})) == ("int", 4)
    with pytest.raises(UnknownName, match=r"Windowed\[str\] has no field begin(.|\n)*there are key, start, end"):
        bind(hr.key.begin, types, "app.py:1")
    with pytest.raises(NotTraceable, match=r"Windowed\[str\].window is an object of its own"):
        bind(hr.key.window, types, "app.py:1")


def test_windowed_keys_are_made() -> None:
    types = {"key": windowed_of(STR), "value": INT}
    first, start, end = hr.key.key[:1], cast(int, hr.key.start), cast(int, hr.value)
    bound = bind(hr.lit(hr.Windowed(first, start, end)), types, "app.py:1")
    assert (str(bound.type), bound.nullable) == ("Windowed[str]", False)
    assert bound.python()({"key": hr.Windowed("ann", 5, 9), "value": 7}) == hr.Windowed("a", 5, 7)
    with pytest.raises(TypeError, match=r"Windowed.end is None, int is needed"):
        bound.python()({"key": hr.Windowed("ann", 5, 9), "value": None})
    with pytest.raises(WrongType, match=r"Windowed.start is str, int is needed"):
        bind(hr.lit(hr.Windowed(first, cast(int, first), 7)), types, "app.py:1")
    same = bind(hr.key == hr.Windowed("ann", 5, 9), types, "app.py:1")
    assert same.python()({"key": hr.Windowed("ann", 5, 9)}) is True


def test_what_else_members_of_enums_have_is_python_code() -> None:
    with pytest.raises(NotTraceable, match=r"Status.__class__|Status.mro is Python code of its own"):
        traced(lambda o: o.status.mro, ORDER)
    with pytest.raises(UnknownName, match=r"Status has no field nam\n(.|\n)*did you mean name"):
        traced(lambda o: o.status.nam, ORDER)
