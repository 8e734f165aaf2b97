"""Functions by name, for what has no operator and no method. All of them are in the front door."""

from __future__ import annotations

from headrace.errors import OptionInvalid
from headrace.expr.functions.patterns import refusal
from headrace.expr.syntax import Expr, as_expr, call
from headrace.model.where import calling_line


def concat(first: object, *others: object) -> Expr:
    """Texts or lists one behind the other: `a + b + c`."""
    result = as_expr(first)
    for other in others:
        result = result + other
    return result


def if_null(thing: object, otherwise: object) -> Expr:
    """`otherwise if thing is None else thing`."""
    return call("coalesce", thing, otherwise)


def least(first: object, *others: object) -> Expr:
    """`min()` of numbers."""
    result = as_expr(first)
    for other in others:
        result = call("least", result, other)
    return result


def greatest(first: object, *others: object) -> Expr:
    """`max()` of numbers."""
    result = as_expr(first)
    for other in others:
        result = call("greatest", result, other)
    return result


def rounded(number: object, digits: object = None) -> Expr:
    """`round()`: half to even, exactly."""
    return call("rounded", number) if digits is None else call("rounded", number, digits)


def join(separator: object, texts: object) -> Expr:
    """`separator.join(texts)`: the texts of a list with a separator between them."""
    return call(".join", separator, texts)


def from_hex(text: object) -> Expr:
    """`bytes.fromhex()`, without white space."""
    return call("from_hex", text)


def absolute(number: object) -> Expr:
    """`abs()`."""
    return call("absolute", number)


def floor(number: object) -> Expr:
    """`math.floor()`."""
    return call("floor", number)


def ceil(number: object) -> Expr:
    """`math.ceil()`."""
    return call("ceil", number)


def square_root(number: object) -> Expr:
    """`math.sqrt()`."""
    return call("square_root", number)


def sign(number: object) -> Expr:
    """-1, 0 or 1."""
    return call("sign", number)


def gcd(first: object, second: object) -> Expr:
    """`math.gcd()`."""
    return call("gcd", first, second)


def is_nan(number: object) -> Expr:
    """`math.isnan()`."""
    return call("is_nan", number)


def is_finite(number: object) -> Expr:
    """`math.isfinite()`."""
    return call("is_finite", number)


def bit_and(first: object, second: object) -> Expr:
    """`first & second` of ints."""
    return call("bit_and", first, second)


def bit_or(first: object, second: object) -> Expr:
    """`first | second` of ints."""
    return call("bit_or", first, second)


def bit_xor(first: object, second: object) -> Expr:
    """`first ^ second` of ints."""
    return call("bit_xor", first, second)


def md5(data: object) -> Expr:
    """The MD5 digest of bytes, or of the UTF-8 of a str, in hexadecimal."""
    return call("md5", data)


def sha1(data: object) -> Expr:
    """The SHA-1 digest, in hexadecimal."""
    return call("sha1", data)


def sha256(data: object) -> Expr:
    """The SHA-256 digest, in hexadecimal."""
    return call("sha256", data)


def sha512(data: object) -> Expr:
    """The SHA-512 digest, in hexadecimal."""
    return call("sha512", data)


def crc32(data: object) -> Expr:
    """`zlib.crc32()`."""
    return call("crc32", data)


def base64(data: object) -> Expr:
    """Bytes, or the UTF-8 of a str, in base64."""
    return call("base64", data)


def from_base64(text: object) -> Expr:
    """The bytes of a text in base64."""
    return call("from_base64", text)


def url_scheme(url: object) -> Expr:
    """What stands before the first colon: `https`; None without one."""
    return call("url_scheme", url)


def url_authority(url: object) -> Expr:
    """What stands behind `//`: `user@host:80`; None without it."""
    return call("url_authority", url)


def url_path(url: object) -> Expr:
    """The path, which may be empty."""
    return call("url_path", url)


def url_query(url: object) -> Expr:
    """What stands behind the question mark; None without one."""
    return call("url_query", url)


def url_fragment(url: object) -> Expr:
    """What stands behind `#`; None without it."""
    return call("url_fragment", url)


def url_quote(text: object) -> Expr:
    """`urllib.parse.quote(text, safe="")`."""
    return call("url_quote", text)


def url_unquote(text: object) -> Expr:
    """`urllib.parse.unquote(text, errors="strict")`."""
    return call("url_unquote", text)


def from_ms(ms: object) -> Expr:
    """The moment so many milliseconds after 1970: `hr.from_ms(hr.timestamp)`."""
    return call("from_ms", ms)


def to_ms(moment: object) -> Expr:
    """The milliseconds since 1970 of a moment."""
    return call("to_ms", moment)


def plus_ms(moment: object, ms: object) -> Expr:
    """A moment so many milliseconds later."""
    return call("plus_ms", moment, ms)


def parse_datetime(text: object) -> Expr:
    """The moment of a text such as `2024-05-31T12:30:00Z`; it has to name its time zone."""
    return call("parse_datetime", text)


def start_of_second(moment: object) -> Expr:
    """The moment at which its second began, in UTC."""
    return call("start_of_second", moment)


def start_of_minute(moment: object) -> Expr:
    """The moment at which its minute began, in UTC."""
    return call("start_of_minute", moment)


def start_of_hour(moment: object) -> Expr:
    """The moment at which its hour began, in UTC."""
    return call("start_of_hour", moment)


def start_of_day(moment: object) -> Expr:
    """The moment at which its day began, in UTC."""
    return call("start_of_day", moment)


def start_of_month(moment: object) -> Expr:
    """The moment at which its month began, in UTC."""
    return call("start_of_month", moment)


def start_of_year(moment: object) -> Expr:
    """The moment at which its year began, in UTC."""
    return call("start_of_year", moment)


def as_str(thing: object) -> Expr:
    """A part of untyped JSON that has to be a str or None."""
    return call("as_str", thing)


def as_int(thing: object) -> Expr:
    """A part of untyped JSON that has to be an int or None."""
    return call("as_int", thing)


def as_float(thing: object) -> Expr:
    """A part of untyped JSON that has to be a number or None, as a float."""
    return call("as_float", thing)


def as_bool(thing: object) -> Expr:
    """A part of untyped JSON that has to be a bool or None."""
    return call("as_bool", thing)


def as_list(thing: object) -> Expr:
    """A part of untyped JSON that has to be a list or None."""
    return call("as_list", thing)


def decimal(number: object) -> Expr:
    """`Decimal()` of an int."""
    return call("decimal", number)


def matches(text: object, pattern: str) -> Expr:
    """Whether a regular expression fits the whole text: `re.fullmatch()`."""
    return call("matches", text, _checked(pattern))


def has_match(text: object, pattern: str) -> Expr:
    """Whether a regular expression fits somewhere: `re.search()`."""
    return call("has_match", text, _checked(pattern))


def first_match(text: object, pattern: str) -> Expr:
    """The first part that a regular expression fits; None without one."""
    return call("first_match", text, _checked(pattern))


def all_matches(text: object, pattern: str) -> Expr:
    """All parts that a regular expression fits, one behind the other."""
    return call("all_matches", text, _checked(pattern, many=True))


def replace_matches(text: object, pattern: str, by: object) -> Expr:
    """The text with another in place of each part that a regular expression fits."""
    return call("replace_matches", text, _checked(pattern, many=True), by)


def _checked(pattern: str, *, many: bool = False) -> str:
    reason = refusal(pattern, many=many)
    if reason is not None:
        raise OptionInvalid("pattern", pattern, f"another: {reason}", calling_line())
    return pattern
