"""Functions by name, for what has no operator and no method. All of them are in the front door."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar, cast, overload

from headrace.errors import OptionInvalid
from headrace.expr.functions.patterns import refusal
from headrace.expr.syntax import Expr, as_expr, call
from headrace.expr.typed import computed, of_maybe, of_some, on_texts, on_values
from headrace.model.source_lines import calling_line

T = TypeVar("T")


@of_some
def concat(first: object, *others: object) -> Expr:
    """Texts or lists one behind the other: `a + b + c`."""
    result = as_expr(first)
    for other in others:
        result = result + other
    return result


@of_maybe
def if_null(thing: object, otherwise: object) -> Expr:
    """`otherwise if thing is None else thing`."""
    return call("coalesce", thing, otherwise)


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


@overload
def rounded(number: Expr, digits: object = None) -> Expr: ...  # type: ignore[overload-overlap]


@overload
def rounded(number: object, digits: None = None) -> int: ...


@overload
def rounded(number: T, digits: object) -> T: ...


def rounded(number: object, digits: object = None) -> object:
    """`round()`: half to even, exactly."""
    return call("rounded", number) if digits is None else call("rounded", number, digits)


@on_values
def join(separator: object, texts: object) -> str:
    """`separator.join(texts)`: the texts of a list with a separator between them."""
    return computed(".join", separator, texts)


@on_values
def from_hex(text: object) -> bytes:
    """`bytes.fromhex()`, without white space."""
    return computed("from_hex", text)


def absolute(number: T) -> T:
    """`abs()`."""
    return cast(T, call("absolute", number))


@on_values
def floor(number: object) -> int:
    """`math.floor()`."""
    return computed("floor", number)


@on_values
def ceil(number: object) -> int:
    """`math.ceil()`."""
    return computed("ceil", number)


@on_values
def square_root(number: object) -> float:
    """`math.sqrt()`."""
    return computed("square_root", number)


@on_values
def sign(number: object) -> int:
    """-1, 0 or 1."""
    return computed("sign", number)


@on_values
def gcd(first: object, second: object) -> int:
    """`math.gcd()`."""
    return computed("gcd", first, second)


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


@on_values
def base64(data: object) -> str:
    """Bytes, or the UTF-8 of a str, in base64."""
    return computed("base64", data)


@on_values
def from_base64(text: object) -> bytes:
    """The bytes of a text in base64."""
    return computed("from_base64", text)


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


@on_values
def from_ms(ms: object) -> datetime:
    """The moment so many milliseconds after 1970: `hr.from_ms(hr.timestamp)`."""
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


@on_values
def decimal(number: object) -> Decimal:
    """`Decimal()` of an int."""
    return computed("decimal", number)


@on_texts
def matches(text: object, pattern: str) -> bool:
    """Whether a regular expression fits the whole text: `re.fullmatch()`."""
    return computed("matches", text, _checked(pattern))


@on_texts
def has_match(text: object, pattern: str) -> bool:
    """Whether a regular expression fits somewhere: `re.search()`."""
    return computed("has_match", text, _checked(pattern))


@on_texts
def first_match(text: object, pattern: str) -> str | None:
    """The first part that a regular expression fits; None without one."""
    return computed("first_match", text, _checked(pattern))


@on_texts
def all_matches(text: object, pattern: str) -> list[str]:
    """All parts that a regular expression fits, one behind the other."""
    return computed("all_matches", text, _checked(pattern, many=True))


@overload
def replace_matches(text: Expr, pattern: str, by: object) -> Expr: ...  # type: ignore[overload-overlap]


@overload
def replace_matches(text: object, pattern: str, by: object) -> str: ...


def replace_matches(text: object, pattern: str, by: object) -> object:
    """The text with another in place of each part that a regular expression fits."""
    return call("replace_matches", text, _checked(pattern, many=True), by)


def _checked(pattern: str, *, many: bool = False) -> str:
    reason = refusal(pattern, many=many)
    if reason is not None:
        raise OptionInvalid("pattern", pattern, f"another: {reason}", calling_line())
    return pattern
