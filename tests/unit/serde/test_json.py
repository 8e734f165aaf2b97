"""JSON: the rules for what is read, canonical bytes, and the words of what is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as hr
import headrace.types as T
from headrace.errors import NotARecord
from headrace.model.types import (
    DATE,
    DECIMAL,
    INT,
    INT32,
    NONE,
    STR,
    TIME,
    StructField,
    dict_of,
    keyed_struct,
    list_of,
    optional_of,
    pair_of,
    struct_of,
)
from headrace.serde import JsonSerde, serde_of
from headrace.serde.shapes import own_code, shape


class Status(Enum):
    NEW = "new"
    PAID = "paid"


@dataclass(frozen=True)
class Item:
    name: str
    count: int = 1


@dataclass
class Order:
    customer: str
    amount: float
    note: str | None
    items: list[Item] = field(default_factory=list)
    scores: dict[str, int] = field(default_factory=dict)
    status: Status = Status.NEW
    at: datetime | None = None
    price: Decimal | None = None
    raw: bytes = b""
    rest: Any = None
    total: float = field(default=0.0, init=False)


class Click(TypedDict, total=False):
    user: str
    page: int | None


@dataclass
class Positive:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"{self.number} is negative")


ORDERS = hr.json(Order)
FULL = Order(
    "né😀",
    2.5,
    None,
    [Item("a"), Item("b", 2)],
    {"z": 1, "a": -(2**63)},
    Status.PAID,
    datetime(2024, 5, 31, 12, 30, 0, 500, timezone(timedelta(hours=2))),
    Decimal("1.10"),
    b"\x00\xff",
    {"b": [1, None, True], "a": 1.5},
)
FULL.total = 7.0
FULL_BYTES = (
    '{"customer":"né😀","amount":2.5,"note":null,"items":[{"name":"a","count":1},{"name":"b","count":2}],'
    '"scores":{"a":-9223372036854775808,"z":1},"status":"paid","at":"2024-05-31T10:30:00.000500Z","price":"1.10",'
    '"raw":"AP8=","rest":{"a":1.5,"b":[1,null,true]},"total":7.0}'
).encode()


def test_bytes_are_compact_and_in_the_order_of_the_class() -> None:
    assert ORDERS.encode(FULL) == FULL_BYTES
    assert ORDERS.decode(FULL_BYTES) == FULL


def test_what_is_missing_gets_its_default_and_what_is_unknown_is_left_out() -> None:
    read = ORDERS.decode(b' {"customer": "ann", "amount": 3, "more": [1]} ')
    assert read == Order("ann", 3.0, None)
    assert isinstance(read.amount, float)


def test_numbers_and_texts_are_decimals() -> None:
    for number in (b"1.10", b'"1.10"'):
        read = ORDERS.decode(b'{"customer":"a","amount":0.1,"rest":[0.1],"price":%b}' % number)
        assert read is not None
        assert (str(read.price), read.amount, read.rest) == ("1.10", 0.1, [0.1])


def test_a_typed_dict_has_the_keys_it_was_read_with() -> None:
    clicks = hr.json(Click)
    assert clicks.decode(b'{"user":"a"}') == {"user": "a"}
    assert clicks.encode({"page": None}) == b'{"page":null}'
    with pytest.raises(ValueError, match="it has the key 'other', which Click has not"):
        clicks.encode({"user": "a", "other": 1})  # type: ignore[arg-type]


def test_none_has_no_bytes() -> None:
    assert ORDERS.encode(None) is None
    assert hr.json().decode(None) is None
    assert hr.json().decode(b"null") is None


MINIMUM = b'{"customer":"a","amount":1,%b}'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON at 0: Expecting value"),
        (b"\xff", "byte 0xff at 0 is not UTF-8"),
        (b"[]", "it is a list, Order (an object) is needed"),
        (b"null", "it is null, Order (an object) is needed"),
        (b'{"amount":1}', "customer is missing"),
        (b'{"customer":null,"amount":1}', "customer is null, str is needed"),
        (b'{"customer":"a","amount":"1"}', "amount is the text '1', float is needed"),
        (b'{"customer":"a","amount":true}', "amount is true, float is needed"),
        (b'{"customer":"a","amount":1e999}', "amount is a number that does not fit a float"),
        (b'{"customer":"a","amount":NaN}', "NaN is not JSON"),
        (MINIMUM % b'"note":1', "note is the number 1, str is needed"),
        (MINIMUM % b'"note":"\\ud800"', "\\ud800 is half a letter"),
        (MINIMUM % b'"items":{}', "items is an object, list[Item] is needed"),
        (MINIMUM % b'"items":[{"name":"x"},{"name":[]}]', "items[1].name is a list, str is needed"),
        (MINIMUM % b'"items":[{"name":"x","count":1.0}]', "items[0].count is the number 1.0, int is needed"),
        (MINIMUM % b'"items":[{"name":"x","count":9223372036854775808}]', "9223372036854775808, which does not fit 64"),
        (MINIMUM % b'"scores":{"a":1,"b":false}', "scores.b is false, int is needed"),
        (MINIMUM % b'"status":"old"', "status is the text 'old', Status is one of 'new', 'paid'"),
        (MINIMUM % b'"at":"2024-05-31 12:00"', "at is the text '2024-05-31 12:00', a datetime such as 2024-05-31T"),
        (MINIMUM % b'"at":"2024-02-30T00:00:00Z"', "a datetime such as 2024-05-31T12:30:00Z is needed"),
        (MINIMUM % b'"price":"one"', "price is the text 'one', Decimal is needed"),
        (MINIMUM % b'"raw":"?"', "raw is the text '?', bytes in base64 is needed"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(data: bytes, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        ORDERS.decode(data)
    assert words in str(caught.value)


def changed(**values: Any) -> Order:
    given: dict[str, Any] = {"customer": "a", "amount": 1.0, "note": None}
    return Order(**(given | values))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("text", "it is 'text', a str, Order is needed"),
        (changed(customer=None), "customer is None, str is needed"),
        (changed(amount=float("nan")), "amount is nan, which JSON cannot say"),
        (changed(items=[Item("a"), Item(7)]), "items[1].name is 7, a int, str is needed"),  # type: ignore[arg-type]
        (changed(scores={"a": 2**63}), "scores.a is 9223372036854775808, which does not fit 64 bits"),
        (changed(scores={1: 1}), "scores has the key 1, a int, str is needed"),
        (changed(at=datetime(2024, 1, 1)), "at is 2024-01-01 00:00:00, a datetime without a time zone"),
        (changed(price=Decimal("inf")), "price is Infinity, which JSON cannot say"),
        (changed(status="new"), "status is 'new', a str, Status is needed"),
        (changed(rest={"a": {1}}), "rest.a is {1}, a set, None, bool, int, float, str, list or dict is needed"),
        (changed(note="\ud800"), "U+D800 in it has no UTF-8 form"),
    ],
)
def test_what_cannot_be_written_is_named_with_its_path(value: Any, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        ORDERS.encode(value)
    assert words in str(caught.value)


def test_the_checks_of_the_class_itself_count() -> None:
    with pytest.raises(ValueError, match="it is refused by Positive: -1 is negative"):
        hr.json(Positive).decode(b'{"number":-1}')


def test_pydantic_models() -> None:
    pydantic = pytest.importorskip("pydantic")
    model: Any = pydantic.create_model("Sized", name=(str, ...), size=(int, pydantic.Field(default=1, ge=0)))
    sizes: JsonSerde[Any] = hr.json(model)
    assert sizes.encode(model(name="a")) == b'{"name":"a","size":1}'
    assert sizes.decode(b'{"name":"a","size":2}') == model(name="a", size=2)
    with pytest.raises(ValueError, match="it is refused by Sized: size: Input should be greater than or equal to 0"):
        sizes.decode(b'{"name":"a","size":-1}')
    with pytest.raises(ValueError, match="name is missing"):
        sizes.decode(b"{}")


def test_what_is_no_record_is_named_with_its_line() -> None:
    with pytest.raises(NotARecord, match=r"int does not describe records\n  at: test_json\.py:\d+"):
        hr.json(int)


def test_how_they_are_called() -> None:
    assert (str(ORDERS), str(hr.json())) == ("JSON(Order)", "JSON")
    assert hr.json(Order) == ORDERS
    assert hr.json(Item).type != ORDERS.type


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values.filter(lambda value: value is not None))
def test_untyped_values_come_back(value: Any) -> None:
    data = hr.json().encode(value)
    assert hr.json().decode(data) == value


@given(st.dictionaries(st.text(), st.integers()))
def test_equal_dicts_have_equal_bytes(value: dict[str, int]) -> None:
    turned = dict(reversed(value.items()))
    assert hr.json().encode(value) == hr.json().encode(turned)


def test_records_are_written_as_json_when_nothing_else_is_said() -> None:
    assert serde_of(ORDERS.type) == ORDERS


def test_which_serde_writes_which_type() -> None:
    click = hr.json(Click)
    written = keyed_struct({"user": STR, "page": INT})
    assert click.for_type(written) is click
    assert click.for_type(keyed_struct({"user": optional_of(STR)})) is click
    assert click.for_type(keyed_struct({"user": INT})) is None
    assert click.for_type(keyed_struct({"user": STR, "other": INT})) is None
    assert hr.json().for_type(written) == JsonSerde(written)
    assert hr.json().for_type(ORDERS.type) == ORDERS
    assert ORDERS.for_type(NONE) is ORDERS
    assert hr.json().for_type(pair_of(STR, INT)) == JsonSerde(pair_of(STR, INT))
    assert ORDERS.for_type(written) is None
    assert hr.STRING.for_type(INT) is None
    assert JsonSerde(dict_of(list_of(INT))).for_type(keyed_struct({"a": list_of(INT)})) is not None
    needed: JsonSerde[Any] = JsonSerde(struct_of("T", (StructField("user", STR, True),), dict, keyed=True))
    assert needed.for_type(keyed_struct({})) is None


def test_a_default_that_json_cannot_say_is_python_s_alone() -> None:
    @dataclass
    class Reading:
        celsius: float = float("nan")

    serde = hr.json(Reading)
    assert own_code(serde.type) == "the default of Reading.celsius is nan, which JSON cannot say"
    assert '"default"' not in shape(serde.type)


SLOT = T.record({"day": date, "at": time, "seats": T.Int32, "price": T.decimal(5, 2)}, "Slot")
FREE: dict[str, Any] = {"day": date(2024, 5, 1), "at": time(9, 30), "seats": 3, "price": Decimal("1.5")}


def test_dates_times_and_limited_numbers_are_written_and_read() -> None:
    data = hr.json(SLOT).encode(FREE)
    assert data == b'{"day":"2024-05-01","at":"09:30:00","seats":3,"price":"1.50"}'
    assert hr.json(SLOT).decode(data) == FREE


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("day", datetime(2024, 5, 1), "day is datetime.datetime.*, date is needed"),
        ("at", time(9, tzinfo=UTC), "at is 09:00:00.00:00, a time with a time zone: give one without"),
        ("at", "09:30", "at is '09:30', a str, time is needed"),
        ("seats", 2**31, "seats is 2147483648, which does not fit 32 bits"),
        ("seats", True, "seats is True, a bool, Int32 is needed"),
        ("price", Decimal("1.505"), r"price is 1\.505, which does not fit decimal\(5, 2\)"),
        ("price", 1, r"price is 1, a int, decimal\(5, 2\) is needed"),
    ],
)
def test_what_does_not_fit_is_not_written(field: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hr.json(SLOT).encode({**FREE, field: value})


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("day", '"2024-02-30"', "day is the text '2024-02-30', a date such as 2024-05-31 is needed"),
        ("at", '"9:30"', "at is the text '9:30', a time such as 12:30:00 is needed"),
        ("seats", "2147483648", "seats is the number 2147483648, which does not fit 32 bits"),
        ("seats", "1.0", "seats is the number 1.0, Int32 is needed"),
        ("price", "1.505", r"price is the number 1\.505, decimal\(5, 2\) is needed"),
    ],
)
def test_what_does_not_fit_is_not_read(field: str, text: str, words: str) -> None:
    told = {"day": '"2024-05-01"', "at": '"09:30:00"', "seats": "3", "price": "1.5", field: text}
    data = "{" + ",".join(f'"{name}":{one}' for name, one in told.items()) + "}"
    with pytest.raises(ValueError, match=words):
        hr.json(SLOT).decode(data.encode())


def test_what_is_wider_is_refused_only_when_it_is_written() -> None:
    wide = keyed_struct({"day": DATE, "at": TIME, "seats": INT, "price": DECIMAL})
    assert hr.json(SLOT).for_type(wide) == hr.json(SLOT)
    assert hr.INT64.for_type(INT32) is hr.INT64
    assert hr.INT32.for_type(STR) is None
    assert serde_of(INT32).encode(7) == hr.INT32.encode(7)


def test_keys_of_dicts_are_texts_of_their_json() -> None:
    counts = hr.json(dict[int, int])
    assert counts.encode({10: 1, 9: 2}) == b'{"10":1,"9":2}'
    assert counts.decode(b'{"9":2,"10":1}') == {9: 2, 10: 1}
    pairs = hr.json(dict[tuple[int, str], int])
    assert pairs.encode({(1, "a"): 2}) == b'{"[1,\\"a\\"]":2}'
    assert pairs.decode(pairs.encode({(1, "a"): 2})) == {(1, "a"): 2}
    days = hr.json(dict[date, int])
    assert days.decode(days.encode({date(2024, 5, 1): 2})) == {date(2024, 5, 1): 2}


def test_keys_that_do_not_fit_are_said() -> None:
    counts = hr.json(dict[int, int])
    with pytest.raises(ValueError, match="it has the text 'x' as a key, int is needed"):
        counts.decode(b'{"x":1}')
    with pytest.raises(ValueError, match="it has the key 'x', a str, int is needed"):
        counts.encode({"x": 1})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="10 is 'y', a str, int is needed"):
        counts.encode({10: "y"})  # type: ignore[dict-item]
