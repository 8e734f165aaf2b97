"""Functions by name, for what a lambda computes and Python has no operator or method for.

    >>> import headrace as hr
    >>> import headrace.functions as F
    >>> app = hr.App("functions")
    >>> domains = app.stream("links", value=hr.STRING).map_values(lambda url: F.coalesce(F.url_authority(url), "-"))

This is the one list of them. Each calls the rows of its name in the table, `headrace.expr.functions`.
"""

from __future__ import annotations

import importlib
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from headrace.expr.regex import readable
from headrace.expr.syntax import Expr, as_expr, call
from headrace.expr.typed import computed, of_maybe, of_some, on_texts, on_values

_T = TypeVar("_T")

# -- Python's own functions, of values that are not there yet


@on_values
def length(of: object) -> int:
    """`len()`: characters of a str, bytes of a bytes, items of a list or dict."""
    return computed("length", of)


@on_values
def contains(whole: object, part: object) -> bool:
    """`part in whole`: a part of a str or bytes, an item of a list, a key of a dict."""
    return computed("contains", whole, part)


@on_values
def text(thing: object) -> str:
    """`str()` of a str, int, float, bool or None."""
    return computed("text", thing)


@on_values
def integer(thing: object) -> int:
    """`int()` of a str, int, float or bool; a fraction is cut off."""
    return computed("integer", thing)


@on_values
def floating(thing: object) -> float:
    """`float()` of a str, int, float or bool."""
    return computed("floating", thing)


@on_values
def decimal(number: object) -> Decimal:
    """`Decimal()` of an int."""
    return computed("decimal", number)


# -- None


@on_values
def is_null(thing: object) -> bool:
    """`thing is None`."""
    return computed("is_null", thing)


@of_maybe
def coalesce(first: object, *others: object) -> Expr:
    """The first that is not None; None if all are."""
    *before, result = (first, *others)
    for thing in reversed(before):
        result = call("coalesce", thing, result)
    return as_expr(result)


@of_maybe
def if_null(thing: object, otherwise: object) -> Expr:
    """`otherwise if thing is None else thing`."""
    return call("coalesce", thing, otherwise)


# -- numbers


def absolute(number: _T) -> _T:
    """`abs()`."""
    return cast(_T, call("absolute", number))


@overload
def rounded(number: Expr, digits: object = None) -> Expr: ...  # type: ignore[overload-overlap]


@overload
def rounded(number: object, digits: None = None) -> int: ...


@overload
def rounded(number: _T, digits: object) -> _T: ...


def rounded(number: object, digits: object = None) -> object:
    """`round()`: half to even, exactly; an int without `digits`."""
    return call("rounded", number) if digits is None else call("rounded", number, digits)


@on_values
def floor(number: object) -> int:
    """`math.floor()`."""
    return computed("floor", number)


@on_values
def ceil(number: object) -> int:
    """`math.ceil()`."""
    return computed("ceil", number)


@on_values
def sign(number: object) -> int:
    """-1, 0 or 1."""
    return computed("sign", number)


@on_values
def square_root(number: object) -> float:
    """`math.sqrt()`."""
    return computed("square_root", number)


@on_values
def gcd(first: object, second: object) -> int:
    """`math.gcd()`."""
    return computed("gcd", first, second)


@of_some
def least(first: object, *others: object) -> Expr:
    """`min()` of numbers."""
    result = as_expr(first)
    for other in others:
        result = call("least", result, other)
    return result


@of_some
def greatest(first: object, *others: object) -> Expr:
    """`max()` of numbers."""
    result = as_expr(first)
    for other in others:
        result = call("greatest", result, other)
    return result


@on_values
def is_nan(number: object) -> bool:
    """`math.isnan()`."""
    return computed("is_nan", number)


@on_values
def is_finite(number: object) -> bool:
    """`math.isfinite()`."""
    return computed("is_finite", number)


@on_values
def bit_and(first: object, second: object) -> int:
    """`first & second` of ints."""
    return computed("bit_and", first, second)


@on_values
def bit_or(first: object, second: object) -> int:
    """`first | second` of ints."""
    return computed("bit_or", first, second)


@on_values
def bit_xor(first: object, second: object) -> int:
    """`first ^ second` of ints."""
    return computed("bit_xor", first, second)


# -- texts, bytes and lists


@of_some
def concat(first: object, *others: object) -> Expr:
    """Texts or lists one behind the other: `a + b + c`."""
    result = as_expr(first)
    for other in others:
        result = result + other
    return result


@on_values
def join(separator: object, texts: object) -> str:
    """`separator.join(texts)`: the texts of a list with a separator between them."""
    return computed(".join", separator, texts)


@on_values
def from_hex(text: object) -> bytes:
    """`bytes.fromhex()`, without white space."""
    return computed("from_hex", text)


@on_values
def base64(data: object) -> str:
    """Bytes, or the UTF-8 of a str, in base64."""
    return computed("base64", data)


@on_values
def from_base64(text: object) -> bytes:
    """The bytes of a text in base64."""
    return computed("from_base64", text)


# -- regular expressions that Python and Java read in the same way


@on_texts
def matches(text: object, pattern: str) -> bool:
    """Whether a regular expression fits the whole text: `re.fullmatch()`."""
    return computed("matches", text, readable(pattern))


@on_texts
def has_match(text: object, pattern: str) -> bool:
    """Whether a regular expression fits somewhere: `re.search()`."""
    return computed("has_match", text, readable(pattern))


@on_texts
def first_match(text: object, pattern: str) -> str | None:
    """The first part that a regular expression fits; None without one."""
    return computed("first_match", text, readable(pattern))


@on_texts
def all_matches(text: object, pattern: str) -> list[str]:
    """All parts that a regular expression fits, one behind the other."""
    return computed("all_matches", text, readable(pattern, many=True))


@overload
def replace_matches(text: Expr, pattern: str, by: object) -> Expr: ...  # type: ignore[overload-overlap]


@overload
def replace_matches(text: object, pattern: str, by: object) -> str: ...


def replace_matches(text: object, pattern: str, by: object) -> object:
    """The text with another in place of each part that a regular expression fits."""
    return call("replace_matches", text, readable(pattern, many=True), by)


# -- digests


@on_values
def md5(data: object) -> str:
    """The MD5 digest of bytes, or of the UTF-8 of a str, in hexadecimal."""
    return computed("md5", data)


@on_values
def sha1(data: object) -> str:
    """The SHA-1 digest, in hexadecimal."""
    return computed("sha1", data)


@on_values
def sha256(data: object) -> str:
    """The SHA-256 digest, in hexadecimal."""
    return computed("sha256", data)


@on_values
def sha512(data: object) -> str:
    """The SHA-512 digest, in hexadecimal."""
    return computed("sha512", data)


@on_values
def crc32(data: object) -> int:
    """`zlib.crc32()`."""
    return computed("crc32", data)


# -- URLs


@on_values
def url_scheme(url: object) -> str | None:
    """What stands before the first colon: `https`; None without one."""
    return computed("url_scheme", url)


@on_values
def url_authority(url: object) -> str | None:
    """What stands behind `//`: `user@host:80`; None without it."""
    return computed("url_authority", url)


@on_values
def url_path(url: object) -> str:
    """The path, which may be empty."""
    return computed("url_path", url)


@on_values
def url_query(url: object) -> str | None:
    """What stands behind the question mark; None without one."""
    return computed("url_query", url)


@on_values
def url_fragment(url: object) -> str | None:
    """What stands behind `#`; None without it."""
    return computed("url_fragment", url)


@on_values
def url_quote(text: object) -> str:
    """`urllib.parse.quote(text, safe="")`."""
    return computed("url_quote", text)


@on_values
def url_unquote(text: object) -> str:
    """`urllib.parse.unquote(text, errors="strict")`."""
    return computed("url_unquote", text)


# -- moments


@on_values
def from_ms(ms: object) -> datetime:
    """The moment so many milliseconds after 1970: `F.from_ms(hr.timestamp)`."""
    return computed("from_ms", ms)


@on_values
def to_ms(moment: object) -> int:
    """The milliseconds since 1970 of a moment."""
    return computed("to_ms", moment)


@on_values
def plus_ms(moment: object, ms: object) -> datetime:
    """A moment so many milliseconds later."""
    return computed("plus_ms", moment, ms)


@on_values
def parse_datetime(text: object) -> datetime:
    """The moment of a text such as `2024-05-31T12:30:00Z`; it has to name its time zone."""
    return computed("parse_datetime", text)


@on_values
def start_of_second(moment: object) -> datetime:
    """The moment at which its second began, in UTC."""
    return computed("start_of_second", moment)


@on_values
def start_of_minute(moment: object) -> datetime:
    """The moment at which its minute began, in UTC."""
    return computed("start_of_minute", moment)


@on_values
def start_of_hour(moment: object) -> datetime:
    """The moment at which its hour began, in UTC."""
    return computed("start_of_hour", moment)


@on_values
def start_of_day(moment: object) -> datetime:
    """The moment at which its day began, in UTC."""
    return computed("start_of_day", moment)


@on_values
def start_of_month(moment: object) -> datetime:
    """The moment at which its month began, in UTC."""
    return computed("start_of_month", moment)


@on_values
def start_of_year(moment: object) -> datetime:
    """The moment at which its year began, in UTC."""
    return computed("start_of_year", moment)


# -- parts of untyped JSON


@on_values
def as_str(thing: object) -> str | None:
    """A part of untyped JSON that has to be a str or None."""
    return computed("as_str", thing)


@on_values
def as_int(thing: object) -> int | None:
    """A part of untyped JSON that has to be an int or None."""
    return computed("as_int", thing)


@on_values
def as_float(thing: object) -> float | None:
    """A part of untyped JSON that has to be a number or None, as a float."""
    return computed("as_float", thing)


@on_values
def as_bool(thing: object) -> bool | None:
    """A part of untyped JSON that has to be a bool or None."""
    return computed("as_bool", thing)


@on_values
def as_list(thing: object) -> list[Any] | None:
    """A part of untyped JSON that has to be a list or None."""
    return computed("as_list", thing)


def __dir__() -> list[str]:
    """The functions alone, for completion: not what they are written with."""
    own = (name for name, thing in globals().items() if getattr(thing, "__module__", None) == __name__)
    return sorted(name for name in own if not name.startswith("_"))


if not TYPE_CHECKING:  # to a type checker no other name is here

    def __getattr__(name: str) -> object:
        """Say where a name is that is looked for here, as `F.when` is."""
        where = f": it is hr.{name}" if hasattr(importlib.import_module("headrace.front"), name) else ""
        raise AttributeError(f"module 'headrace.functions' has no attribute {name!r}{where}")
