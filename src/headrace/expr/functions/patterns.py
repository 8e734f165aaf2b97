"""Regular expressions, of the kind that means the same to Python and to Java."""

from __future__ import annotations

import re
from functools import lru_cache

from headrace.expr.functions.row import Function
from headrace.model.types import BOOL, STR, list_of

_ESCAPES = r"\\[\\.+*?()\[\]{}|^$/\-ntr]"
_CLASSES = r"\\[dDwWsS]"
_TOKEN = re.compile(
    rf"(?P<escape>{_ESCAPES})|(?P<class>{_CLASSES})|(?P<set>\[\^?(?:{_ESCAPES}|{_CLASSES}|[^\\\[\]&~|])+\])"
    r"|(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})\??(?![*+?{]))|(?P<group>\((?:\?:|(?!\?)))|(?P<plain>[^\\\[\]{}*+?(])",
    re.DOTALL,
)


def refusal(pattern: str, *, many: bool = False) -> str | None:
    """Why a pattern cannot be used in both forms, in words; None if it can.

    With `many`, it is to be found again and again, which goes on differently behind an empty match.
    """
    body = pattern.removeprefix("(?a)")
    at = 0
    while at < len(body):
        token = _TOKEN.match(body, at)
        if token is None or token[0] == "$":
            place = len(pattern) - len(body) + at
            return f"{body[at : at + 4]!r} at {place} does not mean the same to Python and to Java"
        if body == pattern and re.search(_CLASSES, token[0].replace("\\\\", "")):
            return (
                f"{token[0]} means other letters to Java: write (?a) in front for ASCII alone, or a set such as [0-9]"
            )
        at = token.end()
    try:
        if re.compile(pattern).match("") and many:
            return "it fits where there is nothing"
    except re.error as exc:
        return f"it is not a regular expression: {exc}"
    return None


@lru_cache(256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _replaced(text: str, pattern: str, by: str) -> str:
    return _compiled(pattern).sub(lambda _: by, text)


def _found(text: str, pattern: str) -> str | None:
    found = _compiled(pattern).search(text)
    return None if found is None else found[0]


def _all(text: str, pattern: str) -> list[str]:
    return [found[0] for found in _compiled(pattern).finditer(text)]


_SS = (STR, STR)
# The pattern is a constant that `front` has looked at.
PATTERNS = (
    Function("matches", _SS, BOOL, lambda text, p: _compiled(p).fullmatch(text) is not None, "hr_matches({0}, {1})"),
    Function("has_match", _SS, BOOL, lambda text, p: _compiled(p).search(text) is not None, "hr_has_match({0}, {1})"),
    Function("first_match", _SS, STR, _found, "hr_first_match({0}, {1})", gives_none=lambda *_: True),
    Function("all_matches", _SS, list_of(STR), _all, "hr_all_matches({0}, {1})"),
    Function("replace_matches", (STR, STR, STR), STR, _replaced, "hr_replace_matches({0}, {1}, {2})"),
)
