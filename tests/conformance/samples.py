"""Values to try expressions on: the edges of each type, and drawn ones."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from headrace.model.records import enum_type, record_type
from headrace.model.types import (
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    INT32,
    JSON,
    STR,
    TIME,
    Type,
    decimal_of,
    dict_of,
    list_of,
    pair_of,
)

Draw = Callable[[random.Random], Any]

_BIG = 2**63
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 10, 2**31, -(2**31) - 1, 2**32, 3037000500, -3037000500, 2**53 - 1, 2**53]
INTS += [2**53 + 1, -(2**53) - 1, 2**62, _BIG - 1, _BIG - 2, -_BIG, -_BIG + 1, -_BIG + 1025]

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -3.0, 0.1, 0.3, 1e-5, 0.0001, 1e15, 1e16, 1e17, 123456789.125]
FLOATS += [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1e300, math.inf, -math.inf, math.nan, 1e22]
FLOATS += [2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63), 9223372036854774784.0, -9223372036854777856.0, 2e-44, 9e-8]

SPACES = "".join(chr(code) for code in range(0x110000) if chr(code).isspace())
STRS = ["", " ", "a", "A", "b", "ab", "aa", "aaa", "a b", " a  b ", "a,b", ",", ",,a,", "\x00", "a\x00b", "\ufeff"]
STRS += [SPACES, f"x{SPACES}y", f"{SPACES}z{SPACES}", "\u200b", "\x1ca", "a\\b", "'", '"', "${x}", "%s", "\r\n"]
STRS += ["İ", "\u0131", "ß", "ẞ", "\ufb01", "\u0391Σ", "\u0391Σ Σ", "Σ", "aΣ'", "é", "e\u0301", "\u0345", "ǅ", "Ω"]
STRS += ["😀", "a😀b", "\ud7ff\ue000", "\U0010ffff", "\uffff", "\U0001d400"]
# texts that are numbers, and some that only look like one
STRS += ["0", "-1", "+7", " 12\n", "1_000", "1__0", "_1", "1_", "007", "٣٤", "\uff11\uff12", "\u00a05\u2003", "\x1c5"]
STRS += [str(_BIG - 1), str(_BIG), str(-_BIG), str(-_BIG - 1), "1" * 50, "1" * 5000, "0x10", "1e3", "--1", "+-1", "- 1"]
STRS += ["1.5", ".5", "5.", ".", "-.5e-3", "1e", "1e400", "-1e-400", "inf", "-Infinity", "nAn", "+nan", "infinit", "²"]
STRS += ["2024-05-31T12:30:00Z", "2024-02-30T00:00:00Z", "2023-12-31T23:59:59.1234+05:30", "0000-01-01T00:00:00Z"]
STRS += ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.999999Z", "2024-05-31T12:30:00-23:59", "2024-05-31T12:30:00"]
STRS += ["http://u:p@h.example:80/a/b;c?x=1&y=%20#f?#", "//h", "mailto:a@b", "?q", "#", "a%2Fb%", "%ff", "%C3%A9%e2"]
STRS += ["QQ==", "QR==", "QUJD", "QUJ", "ff00", "fF0", "one\r\ntwo\x0bthree\x85", "ŉ"]
STRS += ["\u01c6", "\u1fb3", "Ⅷ", "\u0661", "-7"]
STRS += ["1_0.2_5e1_0", "1_.5", "1._5", "1e_5", "0x1p3", "1.5f", "1d", "½", "0.1", "179769313486231580e291", "4.9e-324"]

BYTESES = [b"", b"\x00", b"a", b"ab", b"\x7f", b"\x80", b"\xff", b"\xff\x00", b"a\x00"]

# Few letters, so that what is looked for is often found; and letters whose case is special.
_LETTERS = "aab ,A\u00a0é😀Σ\u03c3İßZ\x1f\u2028"


def _int(rng: random.Random) -> int:
    return rng.choice(
        [rng.randint(-9, 9), rng.randint(-_BIG, _BIG - 1), rng.choice([1, -1]) * rng.getrandbits(rng.randint(1, 62))]
    )


def _float(rng: random.Random) -> float:
    kind = rng.randrange(4)
    if kind == 0:
        return float(rng.randint(-99, 99)) / rng.choice([1, 2, 8, 10])
    if kind == 1:
        return math.ldexp(1.0, rng.randint(-1074, 1023))
    if kind == 2:
        return float(f"{rng.randint(1, 999)}e{rng.randint(-320, 300)}")
    return rng.choice([1, -1]) * math.ldexp(rng.random(), rng.randint(-80, 80))


def _str(rng: random.Random) -> str:
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(0, 9)))


_FIRST, _LAST = datetime(2, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = [_EPOCH, _EPOCH - timedelta(microseconds=1), _FIRST, _LAST]
MOMENTS += [datetime(2024, 2, 29, 23, 59, 59, 999999, UTC)]
MOMENTS += [datetime(1582, 10, 4, 12, tzinfo=UTC), datetime(1900, 2, 28, 1, 2, 3, 40, UTC)]

PATTERNS = ["a", "[ab]+", "(?a)\\d+", "(?:a|b)?,", "[^a\\n]+b", "a.b", "^a*?b", "(a)(b|,){1,2}", "\\.|é", "(?a)[\\w😀]"]


def _moment(rng: random.Random) -> datetime:
    return _FIRST + timedelta(microseconds=rng.randrange((_LAST - _FIRST) // timedelta(microseconds=1)))


_DECIMALS = "0 -0 1 1.0 1.50 -7 0.1 1E+5 1E-10 0E+3 0E-9 123456789012345678901234567890 99999999999999999999999999995"
_DECIMALS += " 9E+999999 1E-999999 5E-1000026 1E+999999999 12345678901234567890.12345678901234567890 7E-30 -1E+28"
DECIMALS = [Decimal(text) for text in _DECIMALS.split()]


def _decimal(rng: random.Random) -> Decimal:
    digits = rng.randint(0, 10 ** rng.choice([1, 2, 15, 28, 30]))
    return Decimal(f"{rng.choice(['', '-'])}{digits}E{rng.choice([0, -2, rng.randint(-35, 35)])}")


DATES = [date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(1582, 10, 10)]


def _date(rng: random.Random) -> date:
    return date.fromordinal(rng.randint(1, date.max.toordinal()))


TIMES = [time(), time.max, time(12, 30), time(1, 2, 3), time(23, 59, 59, 1), time(0, 0, 0, 100_000)]


def _time(rng: random.Random) -> time:
    return time(rng.randrange(24), rng.randrange(60), rng.randrange(60), rng.choice([0, rng.randrange(1_000_000)]))


INT32S = [0, 1, -1, 7, 2**31 - 1, -(2**31), 2**16]
PRICE, FRACTION = decimal_of(10, 2), decimal_of(12, 12)
PRICES = [Decimal(text) for text in ("0.00", "1.00", "-1.50", "99999999.99", "-99999999.99", "0.01")]
FRACTIONS = [Decimal(text) for text in ("0.000000000000", "0.000000000001", "-0.999999999999", "0.100000000000")]


ANYTHING: list[Any] = [True, False, 0, 1, 1.0, -0.0, 2**53 + 1, 2.0**53, 10**30, 1e300, "", "a", "1", [], {}, ["a"]]
ANYTHING += [[1, "a", None], [[1.0], {}], {"a": 1}, {"a": None, "b": [True]}, {"b": [1], "a": None}]
ANYTHING += [10**400, 2**63, -(2**63)]


def _json(rng: random.Random, depth: int = 2) -> Any:
    kind = rng.randrange(6) if depth else 0
    if kind == 4:
        return [_json(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if kind == 5:
        return _dict(rng, lambda rng: _json(rng, depth - 1))
    return rng.choice([_int(rng), 0.5, 1.0, 7.0, _str(rng), True, False, 1])


def _dict(rng: random.Random, draw: Draw) -> dict[str, Any]:
    return {rng.choice(["a", "b", "é", _str(rng)]): draw(rng) for _ in range(rng.randint(0, 3))}


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Line:
    product: str
    price: float | None
    size: Size = Size.SMALL
    note: Any = None
    line: int = field(default=0, compare=False)


LINE, SIZE, PAIR = record_type(Line, "here"), enum_type(Size, "here"), pair_of(STR, INT)
LINES = [Line("a", 1.0), Line("a", -0.0, Size.LARGE, {"x": 1}), Line("a", 0.0, Size.LARGE, {"x": True}, 9)]
LINES += [Line("", None)]


def _line(rng: random.Random) -> Line:
    note = rng.choice([None, 1, 1.0, [1]])
    return Line(_str(rng), rng.choice([None, 1.0, 0.5]), rng.choice([*Size]), note, _int(rng))


SAMPLES: dict[Type, tuple[list[Any], Draw]] = {
    INT: (INTS, _int),
    FLOAT: (FLOATS, _float),
    STR: (STRS, _str),
    BOOL: ([True, False], lambda rng: rng.random() < 0.5),
    BYTES: (BYTESES, lambda rng: rng.randbytes(rng.randint(0, 3))),
    DATETIME: (MOMENTS, _moment),
    DATE: (DATES, _date),
    TIME: (TIMES, _time),
    INT32: (INT32S, lambda rng: rng.choice([rng.randint(-9, 9), rng.randint(-(2**31), 2**31 - 1)])),
    PRICE: (PRICES, lambda rng: Decimal(rng.randint(-(10**10) + 1, 10**10 - 1)).scaleb(-2)),
    FRACTION: (FRACTIONS, lambda rng: Decimal(rng.randint(-(10**9), 10**9)).scaleb(-12)),
    list_of(INT): ([[], [1], [0, 7, None], [2**53 + 1]], lambda rng: [_int(rng) for _ in range(rng.randint(0, 3))]),
    list_of(FLOAT): ([[], [0.0, math.nan], [None, -0.0]], lambda rng: [_float(rng) for _ in range(rng.randint(0, 3))]),
    list_of(STR): ([[], [""], ["a", "b"]], lambda rng: [_str(rng) for _ in range(rng.randint(0, 3))]),
    DECIMAL: (DECIMALS, _decimal),
    JSON: (ANYTHING, _json),
    LINE: (LINES, _line),
    SIZE: ([*Size], lambda rng: rng.choice([*Size])),
    PAIR: ([("a", 1), ("a", None), (None, None)], lambda rng: (_str(rng), _int(rng))),
    list_of(DECIMAL): ([[], DECIMALS[:4]], lambda rng: [_decimal(rng) for _ in range(rng.randint(0, 3))]),
    list_of(JSON): ([[], ANYTHING[:4]], lambda rng: [_json(rng) for _ in range(rng.randint(0, 3))]),
    list_of(LINE): ([[], LINES[:2]], lambda rng: [_line(rng) for _ in range(rng.randint(0, 3))]),
    dict_of(INT): ([{}, {"a": 1}, {"b": None, "a": 2}], lambda rng: _dict(rng, _int)),
    dict_of(STR, INT): ([{}, {1: "a"}, {7: None, -1: "b", 0: ""}], lambda rng: {rng.choice(INTS): _str(rng)}),
    dict_of(FLOAT, DATE): ([{}, {DATES[0]: 0.5, DATES[1]: None}], lambda rng: {rng.choice(DATES): _float(rng)}),
    dict_of(JSON): ([{}, {"a": 1}, {"b": None, "a": {"x": 2}}], lambda rng: _dict(rng, _json)),
    dict_of(LINE): ([{}, {"a": LINES[0]}], lambda rng: _dict(rng, _line)),
}


def rows(types: tuple[Type, ...], seed: int, count: int = 300) -> list[tuple[Any, ...]]:
    """Rows of values of these types: None and every edge at every place, pairs of edges, and drawn ones."""
    rng = random.Random(seed)
    edges = [[None, *SAMPLES[type_][0]] for type_ in types]
    drawn = [[*some, *(SAMPLES[type_][1](rng) for _ in range(300))] for some, type_ in zip(edges, types, strict=True)]
    found = [
        tuple(value if place == here else rng.choice(others) for here, others in enumerate(drawn))
        for place, values in enumerate(edges)
        for value in values
        for _ in range(2)
    ]
    found += [tuple(rng.choice(values) for values in edges) for _ in range(count)]
    found += [tuple(rng.choice(values) for values in drawn) for _ in range(count)]
    found += [tuple(None for _ in types)]
    return found
