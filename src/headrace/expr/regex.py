"""Functions of the module `re`, of texts that are symbols and patterns that are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from headrace.errors import OptionInvalid
from headrace.expr.functions.patterns import refusal
from headrace.expr.syntax import Expr, call
from headrace.expr.ways import ValueNeeded
from headrace.model.source_lines import calling_line

_FUNCTIONS = (re.search, re.match, re.fullmatch, re.sub, re.findall)


class RegexMatch:
    """Match of `re.search()` and its like: a match or None, which is a condition, as it is not known yet."""

    def __init__(self, there: Expr, whole: Callable[[], Expr]) -> None:
        self.there = there
        """Whether there is a match."""
        self._whole = whole

    def __bool__(self) -> bool:
        return bool(self.there)

    def __getitem__(self, group: object) -> Expr:
        return self.group(group)

    def group(self, *groups: object) -> Expr:
        """The part that fits, on the ways on which there is one."""
        if groups not in ((), (0,)):
            raise ValueNeeded("groups of a match need the value now, but for the whole")
        if not self:
            raise AttributeError("'NoneType' object has no attribute 'group'")
        return self._whole()


def regex_of(function: Any) -> Callable[..., Any] | None:
    """Expression of a function of `re`, or a method of a compiled pattern; None for other functions."""
    if any(function is one for one in _FUNCTIONS):
        return lambda pattern, *args, **named: _called(function.__name__, re.compile(pattern), args, named)
    compiled = getattr(function, "__self__", None)
    if isinstance(compiled, re.Pattern) and function.__name__ in [one.__name__ for one in _FUNCTIONS]:
        return lambda *args, **named: _called(function.__name__, compiled, args, named)
    return None


def _called(name: str, pattern: re.Pattern[str], args: tuple[Any, ...], by_name: dict[str, Any]) -> Any:
    takes = 2 if name == "sub" else 1
    if by_name or len(args) != takes:
        raise ValueNeeded(f"re.{name}() with flags, places or counts needs the value now: write them into the pattern")
    text, written = args[-1], _written(pattern)
    if not isinstance(text, Expr):
        raise ValueNeeded(f"re.{name}() of something that is made of symbols needs the value now")
    match name:
        case "search":
            return _found(text, written)
        case "match":
            at_start = f"(?a)^(?:{written[4:]})" if written.startswith("(?a)") else f"^(?:{written})"
            return _found(text, at_start)
        case "fullmatch":
            return RegexMatch(call("matches", text, readable(written)), lambda: text)
        case "findall" if not pattern.groups:
            return call("all_matches", text, readable(written, many=True))
        case "sub" if isinstance(args[0], str) and "\\" not in args[0]:
            return call("replace_matches", text, readable(written, many=True), args[0])
    raise ValueNeeded(f"re.{name}() with groups needs the value now")


def _found(text: Expr, pattern: str) -> RegexMatch:
    """The first match of a pattern, somewhere in a text."""
    readable(pattern)
    return RegexMatch(call("has_match", text, pattern), lambda: call("first_match", text, pattern))


def _written(pattern: re.Pattern[str]) -> str:
    """A pattern with its flags in its text."""
    text = pattern.pattern
    if not isinstance(text, str) or pattern.flags & ~(re.ASCII | re.UNICODE):
        raise ValueNeeded("a pattern with flags, or of bytes, needs the value now")
    return text if text.startswith("(?a)") or not pattern.flags & re.ASCII else f"(?a){text}"


def readable(pattern: str, *, many: bool = False) -> str:
    """A pattern that Python and Java read in the same way; raise for others. `many`: all its matches are wanted."""
    reason = refusal(pattern, many=many)
    if reason is not None:
        raise OptionInvalid("pattern", pattern, f"another: {reason}", calling_line())
    return pattern
