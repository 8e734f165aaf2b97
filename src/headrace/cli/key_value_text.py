"""Values of records as a person types and reads them: text and JSON for each type of a key or value."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.errors.printable import safe_json
from headrace.serde import BOOL, BYTES, DOUBLE, INT32, INT64, STRING, Serde


@dataclass(frozen=True)
class TypedForm:
    """Text form of one type: as text, or as part of a JSON line.

    Both directions raise ValueError with words for what does not fit. No form is ever given a null.
    """

    name: str
    from_text: Callable[[str], bytes]
    from_json: Callable[[object], bytes]
    to_json: Callable[[bytes], object]

    def to_text(self, data: bytes) -> str:
        shown = self.to_json(data)
        return shown if isinstance(shown, str) else dumps(shown)


def dumps(value: object) -> str:
    """JSON on one line, as short as it gets: letters of all alphabets as they are, what a terminal obeys escaped."""
    return safe_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _written(serde: Serde[Any], value: object) -> bytes:
    data = serde.encode(value)
    assert data is not None
    return data


def _primitive(serde: Serde[Any], parse: Callable[[str], object]) -> TypedForm:
    def from_text(text: str) -> bytes:
        try:
            value = parse(text)
        except (ValueError, KeyError):
            raise ValueError(f"{text!r} is not {serde.name}") from None
        return _written(serde, value)

    return TypedForm(serde.name, from_text, lambda value: _written(serde, value), serde.decode)


def _double() -> TypedForm:
    plain = _primitive(DOUBLE, float)

    def from_json(value: object) -> bytes:
        # JSON has no numbers for these: "NaN", "Infinity", "-Infinity" stand for them.
        return plain.from_text(value) if isinstance(value, str) else plain.from_json(value)

    def to_json(data: bytes) -> object:
        number = DOUBLE.decode(data)
        assert isinstance(number, float)
        return number if math.isfinite(number) else json.dumps(number)

    return TypedForm("double", plain.from_text, from_json, to_json)


def _bytes_of_hex(value: object) -> bytes:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text of hexadecimal digits")
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise ValueError(f"{value!r} is not hexadecimal") from None


def _json_of_text(text: str) -> bytes:
    try:
        json.loads(text)
    except ValueError as exc:
        raise ValueError(f"{text!r} is not JSON: {exc}") from None
    return text.encode()


def _json_of_bytes(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError as exc:
        raise ValueError(str(exc)) from None


FORMS = {
    form.name: form
    for form in (
        _primitive(STRING, str),
        TypedForm("bytes", _bytes_of_hex, _bytes_of_hex, lambda data: _written(BYTES, data).hex()),
        _primitive(INT32, int),
        _primitive(INT64, int),
        _double(),
        _primitive(BOOL, {"true": True, "false": False}.__getitem__),
        TypedForm("json", _json_of_text, lambda value: dumps(value).encode(), _json_of_bytes),
    )
}
