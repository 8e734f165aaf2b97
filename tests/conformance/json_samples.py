"""Types to try JSON on, and texts: good ones, and bad ones of every kind."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, NotRequired, TypedDict

import headrace.types as T
from conformance.samples import FLOATS, INTS, STRS


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Level(IntEnum):
    LOW = 1
    HIGH = 9


class Click(TypedDict):
    user: str
    page: NotRequired[int | None]


@dataclass(frozen=True)
class Line:
    product: str
    price: float = 1.5
    tags: list[str] = field(default_factory=list)


@dataclass
class Money:
    amount: Decimal
    rate: float
    note: Any = None


@dataclass
class Order:
    customer: str
    amount: int
    ratio: float | None
    size: Size = Size.SMALL
    level: Level | None = None
    paid: bool = False
    data: bytes = b"\x00"
    at: datetime | None = None
    lines: list[Line] = field(default_factory=list)
    counts: dict[str, int | None] = field(default_factory=dict)
    first: Line | None = None
    click: Click | None = None
    extra: Any = None


SALE = T.record(
    {"customer": str, "unit price": float | None, "lines": list[Line], "first": Click, "note": NotRequired[int]}, "Sale"
)


@dataclass
class Booking:
    day: date
    at: time
    seats: T.Int32
    price: Annotated[Decimal, T.decimal(10, 2)]
    share: Annotated[Decimal, T.decimal(12, 12)] | None = None
    ready: time | None = time(9, 30)
    more: list[T.Int32] = field(default_factory=list)
    rest: Any = None


BOOKING = {"day": "2024-05-31", "at": "12:30:00.5", "seats": 3, "price": "1.5", "share": "1E-10", "more": [1, -7]}


@dataclass
class Tables:
    by_int: dict[int, float]
    by_small: dict[T.Int32, str | None] = field(default_factory=dict)
    by_float: dict[float, int] = field(default_factory=dict)
    by_bool: dict[bool, int] = field(default_factory=dict)
    by_day: dict[date, list[int]] = field(default_factory=dict)
    by_moment: dict[datetime, int] = field(default_factory=dict)
    by_price: dict[Annotated[Decimal, T.decimal(10, 2)], int] = field(default_factory=dict)
    by_bytes: dict[bytes, int] = field(default_factory=dict)
    by_size: dict[Size, int] = field(default_factory=dict)
    by_level: dict[Level, int] = field(default_factory=dict)
    by_both: dict[tuple[int, str], dict[int, int]] = field(default_factory=dict)


TABLES: dict[str, Any] = {
    "by_int": {"10": 1.5, "9": 2, "-1": 0},
    "by_small": {"2147483647": "a", "-0": None, "0": "b"},
    "by_float": {"1.5": 1, "1": 2, "-0.0": 3, "0.0": 4, "1e300": 5},
    "by_bool": {"true": 1, "false": 0},
    "by_day": {"2024-05-31": [1], "0001-01-01": []},
    "by_moment": {"2024-05-31T12:30:00Z": 1, "2024-05-31T14:30:00+02:00": 2},
    "by_price": {"1.5": 1, "1.50": 2, "-3": 3},
    "by_bytes": {"QUJD": 1, "": 2},
    "by_size": {"small": 1, "large": 2},
    "by_level": {"9": 1, "1": 2},
    "by_both": {'[1,"a"]': {"1": 2}, '[ 1, "a" ]': {"3": 4}, "[2,null]": {}},
}

RECORDS: dict[str, Any] = {
    "tables": Tables,
    "numbers": dict[int, dict[bool, T.Int32]],
    "booking": Booking,
    "sale": SALE,
    "order": Order,
    "line": Line,
    "money": Money,
    "click": Click,
    "pair": tuple[str, int],
    "triple": tuple[Decimal, Size, Line],
    "any": None,
}

ORDER: dict[str, Any] = {
    "customer": "ann",
    "amount": 7,
    "ratio": 0.5,
    "size": "large",
    "level": 9,
    "paid": True,
    "data": "QUJD",
    "at": "2024-05-31T12:30:00.25+02:00",
    "lines": [{"product": "é", "price": 3, "tags": ["a", "b"]}, {"product": "x"}],
    "counts": {"b": 1, "a": None, "😀": 2, "\uffff": 3},
    "first": {"product": "p", "tags": []},
    "click": {"user": "u"},
    "extra": {"z": [1, 2.5, None, True], "a": {"b": "c"}, "big": 10**30},
}
GOOD: list[Any] = [
    TABLES,
    TABLES,
    {"by_int": {"1.0": 1}},
    {"by_int": {"9223372036854775808": 1}},
    {"by_int": {" 1 ": 1, "1": 2}},
    {"by_int": {"1": 1}, "by_small": {"2147483648": "a"}, "by_bool": {"True": 1}},
    {"by_int": {"1": "x"}, "by_float": {"NaN": 1}},
    {"by_int": {}, "by_float": {"1e999": 1}},
    {"by_int": {}, "by_both": {"[1]": {}}},
    {"by_int": {}, "by_level": {"2": 1}},
    {"1": {"true": 1}, "2": {}},
    {"1": {"true": 2147483648}},
    BOOKING,
    BOOKING,
    {"day": "0001-01-01", "at": "00:00:00", "seats": -(2**31), "price": -0.0, "share": None, "rest": {"a": 1.5}},
    {"day": "9999-12-31", "at": "23:59:59.999999", "seats": 2**31 - 1, "price": 1e7, "ready": "00:00:00"},
    ORDER,
    {"customer": "ann", "unit price": 1.5, "lines": [{"product": "x"}], "first": {"user": "u"}},
    {"customer": "ann", "unit price": None, "lines": [], "first": {"user": "u", "page": None}, "note": 3},
    {"customer": "ann", "amount": 1},
    {"product": "x", "price": 2},
    {"amount": "1.50", "rate": 2, "note": [1.5, {"a": 1e300}]},
    {"amount": 1.50, "rate": 1.25e2},
    {"amount": -0.0, "rate": -0.0},
    {"user": "u"},
    {"user": "u", "page": None},
    {"user": "u", "page": 3},
    ["a", 1],
    [None, None],
    ["1e5", "small", {"product": "x"}],
]
THINGS: list[Any] = [None, True, False, 0, 1, -7, 2**63, -(2**63), 10**25, 1.0, -0.0, 1e300, "", "a", "small", "x" * 50]
THINGS += [[], [1], {}, {"a": 1}, "2024-05-31T12:30:00Z", "QQ==", "QR=", "1.5", "1e99999999999999999999", ["a", 1, 2]]
THINGS += [*STRS[:20], *INTS[:9], *(one for one in FLOATS if abs(one) < 1e308), "1E+5", "-.5", "5.", "+1", "nan", "٣"]
THINGS += ["2024-05-31T12:30:00.٣Z", "2024-05-31T12:30:00+12:75", "0001-01-01T00:00:00+01:00", "😀" * 41]

THINGS += ["2024-05-31", "2024-02-30", "0000-01-01", "20240531", "12:30:00", "12:30", "24:00:00", "12:30:00.1234567"]
THINGS += [
    2**31,
    -(2**31) - 1,
    "0.00",
    "-0",
    "1.505",
    "99999999.99",
    "100000000",
    "1E+9999999",
    "1E-9999999",
    "0E+9999",
]
THINGS += [1.505, 1.50, 12.25, "12:30:00Z", "1E-12", "1E-13", "-.5", "٣:00:00"]

TEXTS = ["", " ", "nul", "null", " null ", "true", "tru", "False", "NaN", "-Infinity", "Infinity", "-", "-a", "01"]
TEXTS += ["1.", "1.e5", "1e", "1e+", "1e5", "1E-5", "1.5e+3", "-0", "-0.0", ".5", "+1", "1e400", "-1e400", "1e-400"]
TEXTS += ["1" * 400, "1" * 4301, "1." + "1" * 400, "123456789012345678", "1234567890123456789", "9" * 19]
TEXTS += ["0.1234567890123456789", "1e22", "1e23", "9007199254740993", "9007199254740993.0", "8.41e21"]
TEXTS += ["2.2250738585072011e-308", "1e99999999999999999999", "0e999", '"', '"a', '"a\\', '"a\\"', '"\\x"', '"\\u"']
TEXTS += ['"\\u12"', '"\\u123"', '"\\u123g"', '"\\u1234', '"\\u00é1"', '"\t"', '"\x7f"', '"\\u0000"']
TEXTS += ['"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00\\ud83d"', '"\\ud83d\\u0041"', '"\\ud83dx"', '"\\ud83d\\uzzzz"']
TEXTS += ['"\\ud83d\\u00é1"', '"\\ud83d\\n"', '"\\b\\f\\n\\r\\t\\/\\\\\\""', '"é\\u00e9"', '"\ud7ff\ue000"', "é"]
TEXTS += ['"é" x', "[", "[]", "[ ]", "[1", "[1,", "[1,]", "[1 2]", "[,1]", "[1],", "[[[]]]", '["\\ud800"]', "[1]]"]
TEXTS += ["{", "{}", "{ }", "{1}", '{"a"', '{"a" 1}', '{"a":', '{"a":}', '{"a":1', '{"a":1,', '{"a":1,}']
TEXTS += ['{"a":1 "b"}', '{"a":1,"a":2}', "{'a':1}", '{"\\u0061":1}', '{"\\ud800":1}', '{"a":"\\ud800","a":1}']
TEXTS += ["\ufeff1", "\u00a01", "1 \n\t\r", "1 x", "// c\n1", "[1e999]"]
TEXTS += ['{"customer":"a","amount":1,"customer":2,"ratio":1,"customer":"b"}', '{"amount":"x","customer":1}']
TEXTS += ["[" * 100 + "]" * 100, '{"customer":"a","\\u0061mount":1,"x":{"y":[1,"\\ud800"]}}']
TEXTS += ['{"product":"a","x":1e999}', '{"amount":1e999,"rate":1}', '{"amount":1e400,"rate":1e400}']
TEXTS += ['{"amount":1,"rate":1,"note":[1e400]}', '{"amount":1.10,"rate":"x"}', '{"rate":1,"x":1.50}']
TEXTS += ['{"amount":1.5e10,"rate":1.10,"note":1.10}', '{"amount":-0,"rate":1}', '{"amount":1E+5,"rate":1}']
TEXTS += ['{"amount":0E-10,"rate":1}', '{"customer":"a","amount":1.0,"ratio":null}']
TEXTS += ['{"customer":null,"amount":null}', '{"product":"a","price":' + "9" * 400 + "}"]
TEXTS += ['{"user":"u","page":1,"page":null}', '{"page":1}', '["a"]', '["a",1,2]', '["a","b"]']
TEXTS += ['{"a": {"b": [1, {"c": "\\u0001"}]}}']


def spoilt(rng: random.Random, whole: Any) -> Any:
    """A value with one of its parts replaced, taken away or added."""
    if isinstance(whole, dict) and whole and rng.random() < 0.8:
        name, copy = rng.choice(list(whole)), dict(whole)
        kind = rng.randrange(6)
        if kind == 0:
            del copy[name]
        elif kind == 1:
            copy[rng.choice(["other", name.upper(), ""])] = rng.choice(THINGS)
        elif kind == 2:
            items = list(copy.items())
            rng.shuffle(items)
            copy = dict(items)
        else:
            copy[name] = spoilt(rng, whole[name])
        return copy
    if isinstance(whole, list) and whole and rng.random() < 0.7:
        at = rng.randrange(len(whole))
        return [spoilt(rng, one) if place == at else one for place, one in enumerate(whole)]
    return rng.choice(THINGS)


def drawn(seed: int, count: int) -> list[bytes]:
    """Texts of records, most of them spoilt in one or two places, some as texts too."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        value = rng.choice(GOOD)
        for _ in range(rng.randrange(3)):
            value = spoilt(rng, value)
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))
        data = text.encode(errors="surrogatepass")
        if rng.random() < 0.2:
            at = rng.randrange(len(data))
            data = data[:at] + rng.choice([b"", b'"', b",", b"\\", b"0", b"\xff", b"]", b" "]) + data[at + 1 :]
        found.append(data)
    return found


def all_data() -> list[bytes]:
    """Everything to read."""
    known = [json.dumps(one, ensure_ascii=False).encode() for one in [*GOOD, *THINGS]]
    return known + [text.encode(errors="surrogatepass") for text in TEXTS]
