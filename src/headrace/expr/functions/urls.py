"""Parts of URLs, by the one expression of RFC 3986 (appendix B)."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

from headrace.expr.functions.row import Function
from headrace.model.types import STR

_URL = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_GROUPS = {"scheme": 1, "authority": 2, "path": 3, "query": 4, "fragment": 5}


def _part(name: str, group: int) -> Function:
    def python(url: str) -> str | None:
        found = _URL.fullmatch(url)
        return None if found is None else found[group]

    maybe = name != "path"  # which may be empty, but is always there
    return Function(f"url_{name}", (STR,), STR, python, f"hr_url_part({{0}}, {group})", gives_none=lambda *_: maybe)


def _unquoted(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise ValueError("the text is not UTF-8 behind its percent signs") from None


URLS = (
    *(_part(name, group) for name, group in _GROUPS.items()),
    Function("url_quote", (STR,), STR, lambda text: quote(text, safe=""), "hr_url_quote({0})"),
    Function("url_unquote", (STR,), STR, _unquoted, "hr_url_unquote({0})"),
)
