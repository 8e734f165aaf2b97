"""Request parameters: each with its meaning, its schema, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote_to_bytes

from headrace.errors import OptionInvalid, ParameterInvalid, ParameterUnknown, PositionUnreadable, StoreAskedWrongly
from headrace.model.durations import duration_ms
from headrace.model.moments import moment_ms
from headrace.model.texts import moment_of
from headrace.observe.history import SPANS
from headrace.query.position import Position
from headrace.query.requests import MOST_ENTRIES
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.schemas import Schema, text_schema_of, whole
from headrace.rest.watch.resume_token import PATTERN, Since
from headrace.serde.facts import TextForm

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LONGEST_TIMEOUT_MS = 60_000
_WHOLE = re.compile(r"[0-9]{1,19}", re.ASCII)
_PLACE = "[A-Za-z0-9._-]+-[0-9]{1,9}@[0-9]{1,18}"
_POSITION = f"^({_PLACE}(,{_PLACE})*)?(~[A-Za-z0-9]{{1,64}})?$"
_SPANS = " or ".join(SPANS)
_TIMEOUT = "^([1-9][0-9]{0,3}ms|[1-5]?[0-9]s)$"


@dataclass(frozen=True)
class Parameter:
    """Parameter of a path."""

    name: str
    meaning: str
    read: Callable[[str, StoreForm | None], Any]
    """From its text; raises ValueError, or an error of ours."""

    schema: Callable[[StoreForm | None], Schema]
    needed: str = "another one"

    def of(self, text: str, store: StoreForm | None) -> Any:
        """Value of the parameter's text."""
        try:
            return self.read(text, store)
        except (ValueError, OptionInvalid):
            raise ParameterInvalid(self.name, text, self._needed(store)) from None

    def as_json(self, store: StoreForm | None) -> bool:
        """Whether its text is JSON."""
        return self.read is _key and store is not None and store.key.serde.facts.text is not TextForm.PLAIN

    def is_for(self, store: StoreForm | None) -> bool:
        """Whether it means something for a store."""
        if self.read is not _prefix or store is None:
            return True
        return store.key.serde.facts.keys.prefixes

    def _needed(self, store: StoreForm | None) -> str:
        return store.key.needed if self.read is _key and store is not None else self.needed


def read_query(query: bytes, known: Sequence[Parameter], store: StoreForm | None) -> dict[str, Any]:
    """The parameters behind the question mark, read; those that are not known, or come twice, are refused."""
    given: dict[str, Any] = {}
    by_name = {one.name: one for one in known}
    for part in filter(None, query.split(b"&")):
        raw_name, _, raw_text = part.partition(b"=")
        name, text = text_of("parameters", raw_name, plus=True), text_of("parameters", raw_text, plus=True)
        if name not in by_name or name in given:
            raise ParameterUnknown(name, by_name, twice=name in given)
        given[name] = by_name[name].of(text, store)
    return given


def text_of(place: str, raw: bytes, *, plus: bool = False) -> str:
    """The text of a part of a URL."""
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ") if plus else raw).decode()
    except UnicodeDecodeError:
        raise ParameterInvalid(place, raw.decode("ascii", "replace"), "UTF-8, percent-encoded") from None


def _key(text: str, store: StoreForm | None) -> bytes:
    assert store is not None
    return store.key.of_text(text)


def _prefix(text: str, store: StoreForm | None) -> bytes:
    assert store is not None
    if not PREFIX.is_for(store):
        reason = f"its keys are {store.key.serde.type}, neither text nor bytes"
        raise StoreAskedWrongly(store.name, reason, "give from= and to= instead of prefix=")
    return store.key.of_text(text)


def _flag(text: str, _store: StoreForm | None) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _limit(text: str, _store: StoreForm | None) -> int:
    if not _WHOLE.fullmatch(text) or not 1 <= int(text) <= MOST_ENTRIES:
        raise ValueError(text)
    return int(text)


def _moment(text: str, _store: StoreForm | None) -> int:
    if _WHOLE.fullmatch(text):
        return moment_ms("moment", int(text), "")
    return moment_ms("moment", max(_EPOCH, moment_of(text)), "")


def _timeout(text: str, _store: StoreForm | None) -> int:
    found = duration_ms("timeout", text, "")
    if found > LONGEST_TIMEOUT_MS:
        raise ValueError(text)
    return found


def _position(text: str, _store: StoreForm | None) -> Position:
    try:
        return Position.read(text)
    except PositionUnreadable:
        raise ValueError(text) from None


def _since(text: str, _store: StoreForm | None) -> Since:
    return Since.read(text)


def _text(text: str, _store: StoreForm | None) -> str:
    return text


def _number(text: str, _store: StoreForm | None) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _span(text: str, _store: StoreForm | None) -> str:
    if text not in SPANS:
        raise ValueError(text)
    return text


def _fixed(schema: Mapping[str, Any]) -> Callable[[StoreForm | None], Schema]:
    return lambda _store: dict(schema)


def _of_key(store: StoreForm | None) -> Schema:
    return {} if store is None else text_schema_of(store.key.serde)


_MOMENT = _fixed({"anyOf": [whole(64, 0), {"type": "string", "format": "date-time"}]})
_A_MOMENT = "milliseconds since 1970, or a moment such as 2026-01-31T12:30:00Z"
_TRUTH = _fixed({"type": "boolean"})

KEY = Parameter("key", "The key.", _key, _of_key)
WATCHED_KEY = Parameter("key", "Only this key; of a windowed store all windows of it.", _key, _of_key)
FIRST = Parameter("from", "Only keys from this one on.", _key, _of_key)
LAST = Parameter("to", "Only keys up to this one; it is inside.", _key, _of_key)
PREFIX = Parameter("prefix", "Only keys that begin with this, where keys are text or bytes.", _prefix, _of_key)
_BEGINS = "Only windows that begin then or later; sessions that end then or later."
FROM = Parameter("from", _BEGINS, _moment, _MOMENT, _A_MOMENT)
TO = Parameter("to", "Only windows and sessions that begin then or earlier.", _moment, _MOMENT, _A_MOMENT)
FIRST_KEY = Parameter("from_key", "Only keys from this one on.", _key, _of_key)
LAST_KEY = Parameter("to_key", "Only keys up to this one; it is inside.", _key, _of_key)
REVERSE = Parameter("reverse", "The last key first.", _flag, _TRUTH, "true or false")
LIMIT = Parameter(
    "limit",
    "How many entries at the most.",
    _limit,
    _fixed(whole(32, 1, MOST_ENTRIES)),
    f"a whole number from 1 to {MOST_ENTRIES}",
)
CURSOR = Parameter("cursor", "What the page before gave as `next`.", _text, _fixed({"type": "string"}))
AS_OF = Parameter(
    "as_of",
    "The position of a page with more behind it, from within the last minute: entries as they were then.",
    _position,
    _fixed({"type": "string", "pattern": _POSITION}),
    "a position such as plays-0@42,plays-1@17",
)
AT_LEAST = Parameter(
    "at_least",
    "A position that the answer has to reflect; it waits for that, up to `timeout`.",
    _position,
    _fixed({"type": "string", "pattern": _POSITION}),
    "a position such as plays-0@42,plays-1@17",
)
TIMEOUT = Parameter(
    "timeout",
    "How long the answer may take. 5s if not given.",
    _timeout,
    _fixed({"type": "string", "pattern": _TIMEOUT}),
    "a duration up to 60s, such as 500ms or 5s",
)
STALE = Parameter("stale", "Take an answer that may lag rather than none.", _flag, _TRUTH, "true or false")
SINCE = Parameter(
    "since",
    "Go on behind this `id` of an event instead of beginning with all entries.",
    _since,
    _fixed({"type": "string", "pattern": PATTERN}),
    "what an event had as its id, such as 0=42,1=17~AbCd1234",
)
SPAN = Parameter(
    "span",
    f"How far back: {_SPANS}. 15m if not given.",
    _span,
    _fixed({"enum": list(SPANS)}),
    _SPANS,
)
WATCHER = Parameter("watcher", "Its number.", _number, _fixed(whole(64, 0)), "the number of a watcher")

FRESHNESS = (AT_LEAST, TIMEOUT, STALE)
"""Of every question."""

_FIELDS = {AT_LEAST.name: "at_least", TIMEOUT.name: "timeout_ms", STALE.name: "stale"}


def freshness(given: Mapping[str, Any]) -> dict[str, Any]:
    """Freshness parameters of a request, as a query has them."""
    return {field: given[name] for name, field in _FIELDS.items() if name in given}
