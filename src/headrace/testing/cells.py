"""Keys, values, times and headers as they stand in the cells of a text table.

`null` is None. Texts stand as they are, or in the quotes of JSON where they could be read as something else. Bytes are
written as the text of their UTF-8, or as `0x00ff`; numbers as in Python; `true` and `false`; records and everything
else of a JSON serde as JSON; a windowed key as `ann@[0s, 10s)`, that of a session as `ann@[0s, 10s]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from headrace.errors import OptionInvalid
from headrace.model.durations import duration_ms, duration_text
from headrace.model.moments import moment_ms, moment_text
from headrace.model.record import Header
from headrace.model.types import BOOL, BYTES, FLOAT, INT, STR
from headrace.model.windows import Windowed
from headrace.serde import JsonSerde, Serde, SessionWindowedSerde, WindowedSerde
from headrace.serde.facts import TextForm

NULL = "null"
QUOTED = r'"(?:[^"\\]|\\.)*"'
_WINDOWED = re.compile(r"(.+)@\[([^,\[\]]+),([^,\[\]]+)([\])])", re.DOTALL)
_HEADER = re.compile(rf"\s*([^=,\"]+)=({QUOTED}|[^,\"]*)(?:,|$)")
_BOOLS = {"true": True, "false": False}
_SPANS_END = 100 * 86_400_000
"""Times in the first hundred days of 1970 are those of tests, and shown as spans since then."""


def cell(serde: Serde[Any], value: Any) -> str:
    """Cell of a key or a value."""
    if value is None:
        return NULL
    if isinstance(serde, WindowedSerde):
        end = "]" if isinstance(serde, SessionWindowedSerde) else ")"
        return f"{cell(serde.inner, value.key)}@[{time_cell(value.start)}, {time_cell(value.end)}{end}"
    if serde.facts.text is not TextForm.PLAIN:
        return _as_json(serde).write(value).decode()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return _bytes_cell(value)
    return _text_cell(value) if isinstance(value, str) else repr(value)


def parsed(serde: Serde[Any], text: str) -> Any:
    """Value of a cell, for a topic that is written with this serde; ValueError says in words what is wrong."""
    if text == NULL:
        return None
    if isinstance(serde, WindowedSerde):
        return _windowed(serde.inner, text)
    if serde.facts.text is not TextForm.PLAIN:
        return _as_json(serde).read(text.encode())
    if serde.type not in _PARSERS:
        raise ValueError(f"values of {serde} have no form as text")
    return _PARSERS[serde.type](text)


def _as_json(serde: Serde[Any]) -> Serde[Any]:
    return serde if serde.facts.text is TextForm.BYTES else JsonSerde(serde.type)


def canonical(text: str) -> str:
    """A cell as it would be shown: JSON without white space, the times of windows in their largest units."""
    if text[:1] in ("{", "["):
        return re.sub(rf"({QUOTED})|\s+", r"\1", text)
    windowed = _WINDOWED.fullmatch(text)
    if windowed is None or (text[0] == '"' and text[-1] == '"'):
        return text
    try:
        start, end = time_cell(time_of(windowed[2])), time_cell(time_of(windowed[3]))
    except ValueError:
        return text
    return f"{canonical(windowed[1])}@[{start}, {end}{windowed[4]}"


def time_cell(ms: int) -> str:
    """Cell of a time: a span since 1970 in its first hundred days, else a date and time."""
    return duration_text(ms) if ms < _SPANS_END else moment_text(ms)


def time_of(text: str) -> int:
    """The milliseconds of a time: `1s`, `1500` or `2026-01-31T12:00:00Z`."""
    written = text.strip()
    if written.isdecimal():
        return int(written)
    try:
        if written[:1].isdecimal() and written[-1] in "smhd":
            return duration_ms("ts", written, "")
        return moment_ms("ts", datetime.fromisoformat(written), "")
    except (OptionInvalid, ValueError):
        raise ValueError(f"{written!r} is no time: write 1s, 1500 (ms) or 2026-01-31T12:00:00Z") from None


def headers_cell(headers: tuple[Header, ...]) -> str:
    """Cell of headers: `trace=7, retry=null`."""
    return ", ".join(f"{name}={NULL if data is None else _bytes_cell(data)}" for name, data in headers)


def headers_of(text: str) -> tuple[Header, ...]:
    """The headers that a cell says."""
    found: list[Header] = []
    at = 0
    while at < len(text):
        one = _HEADER.match(text, at)
        if one is None:
            raise ValueError(f"{text[at:]!r} is no header: write name=value, name=value")
        written = one[2].strip()
        found.append((one[1].strip(), None if written == NULL else _bytes(written)))
        at = one.end()
    return tuple(found)


def _text_cell(text: str) -> str:
    plain = text.isprintable() and text == text.strip() and not re.search(r'["|]|@\[|^[{\[]|^$|^null$', text)
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _text(text: str) -> str:
    if text[:1] != '"':
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError as exc:
        raise ValueError(f"{text} is no quoted text: {exc.msg} at {exc.pos}") from None


def _bytes_cell(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"0x{data.hex()}"
    if not text.isprintable():
        return f"0x{data.hex()}"
    return _quoted(text) if text.startswith("0x") or "," in text else _text_cell(text)


def _bytes(text: str) -> bytes:
    if not text.startswith("0x"):
        return _text(text).encode()
    try:
        return bytes.fromhex(text[2:])
    except ValueError:
        raise ValueError(f"{text} is no hexadecimal: two digits of 0-9 and a-f make a byte") from None


def _bool(text: str) -> bool:
    if text not in _BOOLS:
        raise ValueError(f"{text} is neither true nor false")
    return _BOOLS[text]


def _number(kind: type) -> Callable[[str], Any]:
    def number(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise ValueError(f"{text} is no {kind.__name__}") from None

    return number


def _windowed(inner: Serde[Any], text: str) -> Windowed[Any]:
    found = _WINDOWED.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is no windowed key: write ann@[0s, 10s)")
    return Windowed(parsed(inner, found[1]), time_of(found[2]), time_of(found[3]))


_PARSERS: dict[Any, Callable[[str], Any]] = {
    STR: _text,
    BYTES: _bytes,
    BOOL: _bool,
    INT: _number(int),
    FLOAT: _number(float),
}
