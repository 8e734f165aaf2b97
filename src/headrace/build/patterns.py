"""Patterns of topic names: Python compiles them, Kafka's Java client matches by them."""

from __future__ import annotations

import re

from headrace.errors import OptionInvalid

# What Java refuses, or reads as something else, and how to say it for both. A backslash with its character and a set in
# brackets come as one piece, so that what only looks like a construct is not taken for one.
_PIECE = re.compile(
    r"""
      (?P<end>\\Z)
    | \\.
    | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
    | (?P<named>\(\?P[<=])
    | (?P<condition>\(\?\()
    | (?P<comment>\(\?\#)
    | (?P<flag>\(\?[a-zA-Z]*[aLu])
    | \{\d+(?:,\d*)?\}
    | (?P<brace>\{)
    """,
    re.VERBOSE | re.DOTALL,
)
_INSTEAD = {
    "end": r"a pattern without \Z: it must match the whole name anyway",
    "named": "a pattern with groups by number, (...) and \\1, instead of (?P<name>...) and (?P=name)",
    "condition": "a pattern with alternatives, (...|...), instead of a condition (?(1)...)",
    "comment": "a pattern without a comment (?#...)",
    "flag": "a pattern without the flags a, L and u",
    "brace": r"a pattern with \{ for a brace, and {0,n} for at most n times",
    "set": r"a pattern with \[ and \& for these characters inside of a set [...]",
}


def checked_pattern(pattern: re.Pattern[str], here: str) -> str:
    """The pattern's text, if it means the same in Python and in Java."""
    text = pattern.pattern
    if pattern.flags != re.compile(text).flags:
        raise OptionInvalid("topic", pattern, "a pattern with its flags inside, such as (?i)logs-.*", here)
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind is not None and (kind != "set" or _differs(piece["set"])):
            raise OptionInvalid("topic", pattern, f"{_INSTEAD[kind]}; Kafka's Java client reads it too", here)
    return text


def _differs(characters: str) -> bool:
    """Whether Java takes a part of a set for a set of its own, or for what two sets have in common."""
    plain = re.sub(r"\\.", "", characters[1:-1], flags=re.DOTALL)
    return "[" in plain or "&&" in plain
