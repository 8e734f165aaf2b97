"""Values of records as a person types and reads them: text and JSON for each type of a key or value."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.errors.printable import safe_json
from headrace.model.types import BOOL, BYTES, FLOAT, INT, STR, Type
from headrace.serde import JsonSerde, Serde
from headrace.serde.facts import TextForm
from headrace.serde.formats import FORMATS


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


def _double(serde: Serde[Any]) -> TypedForm:
    plain = _primitive(serde, float)

    def from_json(value: object) -> bytes:
        # JSON has no numbers for these: "NaN", "Infinity", "-Infinity" stand for them.
        return plain.from_text(value) if isinstance(value, str) else plain.from_json(value)

    def to_json(data: bytes) -> object:
        number = serde.decode(data)
        assert isinstance(number, float)
        return number if math.isfinite(number) else json.dumps(number)

    return TypedForm(serde.name, plain.from_text, from_json, to_json)


def _bytes(serde: Serde[Any]) -> TypedForm:
    return TypedForm(serde.name, _bytes_of_hex, _bytes_of_hex, lambda data: _written(serde, data).hex())


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


def _json(serde: Serde[Any]) -> TypedForm:
    return TypedForm(serde.name, _json_of_text, lambda value: dumps(value).encode(), _json_of_bytes)


def _record(serde: Serde[Any]) -> TypedForm:
    """Of a format whose values are shown as JSON."""
    shown: Serde[Any] = JsonSerde(serde.type)

    def from_text(text: str) -> bytes:
        return serde.write(shown.read(text.encode()))

    return TypedForm(
        serde.name,
        from_text,
        lambda value: from_text(dumps(value)),
        lambda data: _json_of_bytes(shown.write(serde.read(data))),
    )


_PLAIN: dict[Type, Callable[[Serde[Any]], TypedForm]] = {
    STR: lambda serde: _primitive(serde, str),
    BYTES: _bytes,
    INT: lambda serde: _primitive(serde, int),
    FLOAT: _double,
    BOOL: lambda serde: _primitive(serde, {"true": True, "false": False}.__getitem__),
}
_FORMS = {
    TextForm.PLAIN: lambda serde: _PLAIN[serde.type](serde),
    TextForm.JSON: _record,
    TextForm.BYTES: _json,
}


def form_of(serde: Serde[Any]) -> TypedForm:
    """The form of a serde, as its facts tell it."""
    return _FORMS[serde.facts.text](serde)


FORMS = {name: form_of(serde) for name, serde in FORMATS.items()}
