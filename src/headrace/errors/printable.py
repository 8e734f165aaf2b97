"""Text of records and of failures on a terminal, which obeys some characters instead of showing them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

_OBEYED = ("Cc", "Cf")
"""Categories of characters: controls, and formats such as those that turn the direction of writing."""


def safe(text: str) -> str:
    """A text that does nothing to a terminal, and stays on its line.

    >>> safe("red \\x1b[31m\\n")
    'red \\\\x1b[31m\\\\n'
    """
    return _escaped(text, lambda letter: letter.encode("unicode_escape").decode("ascii"))


def safe_lines(text: str) -> str:
    """Several lines that do nothing else to a terminal."""
    return "\n".join(map(safe, text.split("\n")))


def safe_json(text: str) -> str:
    """JSON text that does nothing to a terminal: in JSON's own escapes, so whoever reads it gets the same values.

    >>> safe_json('"\\x9b31m"')
    '"\\\\u009b31m"'
    """
    return _escaped(text, lambda letter: json.dumps(letter)[1:-1])


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    if text.isprintable():
        return text
    return "".join(escape(letter) if unicodedata.category(letter) in _OBEYED else letter for letter in text)
