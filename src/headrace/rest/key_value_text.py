"""Keys and values as people and web pages write them: text in a path, JSON in a body, by the types of their serdes.

| type | in a path | in JSON |
|---|---|---|
| str | as it is | a string |
| int | decimal digits | a number, with all its digits |
| float | decimal, NaN, Infinity, -Infinity | a number, or one of these three as a string |
| bool | true, false | true, false |
| bytes | base64url | a string: base64url for keys, base64 for values |
| all others | JSON | JSON |
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from headrace.errors import EntryUnreadable
from headrace.model.types import BOOL, BYTES, FLOAT, INT, STR, Type
from headrace.model.windows import Windowed
from headrace.query.catalogue import Queryable, StoreKind
from headrace.query.requests import Entry
from headrace.rest.server.schemas import NUMBERS_BEYOND, Schema, schema_of
from headrace.serde import JsonSerde, Serde, WindowedSerde
from headrace.serde.facts import TextForm
from headrace.serde.json.writing import is_writable, writer

dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
"""JSON on one line, as short as it gets. NaN is a ValueError: browsers could not read it."""

_WHOLE = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*={0,2}", re.ASCII)


@dataclass(frozen=True)
class Form:
    """Text form of one key or value. What cannot be written or read is a ValueError with words."""

    serde: Serde[Any]
    of_text: Callable[[str], bytes]
    json: Callable[[bytes], str]
    of_json: Callable[[Any], bytes]
    needed: str
    """What a text has to be, for those who gave another."""

    def text(self, data: bytes) -> str:
        """Text that `of_text` takes."""
        shown = self.json(data)
        plain = self.serde.facts.text is TextForm.PLAIN and shown[0] == '"'
        return str(json.loads(shown)) if plain else shown

    @property
    def schema(self) -> Schema:
        """Schema of the JSON form."""
        return schema_of(self.serde.type)


class StoreForm:
    """A store as it is asked and shown over HTTP."""

    def __init__(self, queryable: Queryable) -> None:
        self.queryable = queryable
        self.name, self.kind = queryable.name, queryable.kind
        serde = queryable.key
        inner = serde.inner if isinstance(serde, WindowedSerde) else serde
        self.key = form_of(inner, key=True)
        self.value = form_of(queryable.value)

    def entry(self, entry: Entry) -> str:
        """An entry as a JSON object."""
        return self.change(entry.key, entry)

    def change(self, key: bytes, entry: Entry | None) -> str:
        """An entry, or a key that is gone, as a JSON object. Bytes that are none of its type show the reason."""
        try:
            shown = self._key(key)
            if entry is None:
                return f'{{{shown},"value":null}}'
            return f'{{{shown},"value":{self.value.json(entry.value)},"ts":{entry.ts}}}'
        except ValueError as exc:
            ts = "" if entry is None else f',"ts":{entry.ts}'
            return f'{{"key":null,"value":null{ts},"unreadable":{dumps(str(exc))}}}'

    def placed(self, key: bytes) -> bytes:
        """A key as it is in the changelog: with some window behind it, where there are windows."""
        return key + bytes(getattr(self.queryable.key, "window_bytes", 0))

    def bare(self, key: bytes) -> bytes:
        """A key as it is in the changelog, without its window."""
        size = getattr(self.queryable.key, "window_bytes", 0)
        return key[:-size] if size else key

    def entry_of(self, found: Mapping[str, Any]) -> Entry:
        """An entry that came as JSON."""
        if "unreadable" in found:
            raise EntryUnreadable(self.name, "bytes", found["unreadable"])
        return Entry(self.key_of(found), self.value.of_json(found["value"]), int(found["ts"]))

    def key_of(self, found: Mapping[str, Any]) -> bytes:
        """The bytes of the key of an entry that came as JSON."""
        key = self.key.of_json(found["key"])
        if self.kind is StoreKind.TABLE:
            return key
        window = found["window"]
        return self.queryable.key.write(Windowed(self.key.serde.read(key), window["start"], window["end"]))

    def _key(self, data: bytes) -> str:
        if self.kind is StoreKind.TABLE:
            return f'"key":{self.key.json(data)}'
        window = self.queryable.key.read(data)
        return f'"key":{self.key.json(self.bare(data))},"window":{{"start":{window.start},"end":{window.end}}}'


def form_of(serde: Serde[Any], *, key: bool = False) -> Form:
    """The form of what a serde reads and writes."""
    made = _FORMS.get(serde.type)
    if made is not None and serde.facts.text is TextForm.PLAIN:
        return made(serde, key)
    return _json_form(serde) if is_writable(serde.type) else _opaque(serde)


def base64url_of(data: bytes) -> str:
    """Bytes as text for paths, without the signs at its end."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of_base64url(text: str) -> bytes:
    """The bytes of such a text, with or without the signs at its end; ValueError if it is none."""
    if not _BASE64URL.fullmatch(text):
        raise ValueError("it is not base64url")
    plain = text.rstrip("=")
    try:
        return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        raise ValueError("it is not base64url") from None


def _text_form(serde: Serde[Any], _key: bool) -> Form:
    return Form(serde, serde.write, lambda data: dumps(serde.read(data)), serde.write, "a text")


def _int_form(serde: Serde[Any], _key: bool) -> Form:
    def of_text(text: str) -> bytes:
        if not _WHOLE.fullmatch(text):
            raise ValueError("it is not a whole number")
        return serde.write(int(text))

    return Form(serde, of_text, lambda data: str(serde.read(data)), serde.write, f"a whole number ({serde.name})")


def _float_form(serde: Serde[Any], _key: bool) -> Form:
    def of_text(text: str) -> bytes:
        if text in NUMBERS_BEYOND:
            return serde.write(float(text))
        if not _REAL.fullmatch(text) or math.isinf(float(text)):
            raise ValueError("it is not a number")
        return serde.write(float(text))

    def to_json(data: bytes) -> str:
        number = serde.read(data)
        return repr(number) if math.isfinite(number) else f'"{json.dumps(number)}"'

    def of_json(found: Any) -> bytes:
        return of_text(found) if isinstance(found, str) else serde.write(found)

    return Form(serde, of_text, to_json, of_json, "a number, NaN, Infinity or -Infinity")


def _bool_form(serde: Serde[Any], _key: bool) -> Form:
    def of_text(text: str) -> bytes:
        if text not in ("true", "false"):
            raise ValueError("it is neither true nor false")
        return serde.write(text == "true")

    return Form(serde, of_text, lambda data: "true" if serde.read(data) else "false", serde.write, "true or false")


def _bytes_form(serde: Serde[Any], key: bool) -> Form:
    def of_text(text: str) -> bytes:
        return serde.write(bytes_of_base64url(text))

    def of_json(found: Any) -> bytes:
        return of_text(str(found).replace("+", "-").replace("/", "_"))

    def to_json(data: bytes) -> str:
        read = serde.read(data)
        return f'"{base64url_of(read) if key else base64.b64encode(read).decode()}"'

    return Form(serde, of_text, to_json, of_json, "bytes in base64url")


_FORMS: dict[Type, Callable[[Serde[Any], bool], Form]] = {
    STR: _text_form,
    INT: _int_form,
    FLOAT: _float_form,
    BOOL: _bool_form,
    BYTES: _bytes_form,
}


def _json_form(serde: Serde[Any]) -> Form:
    through_json: Serde[Any] = JsonSerde(serde.type)
    write = writer(serde.type)

    def of_text(text: str) -> bytes:
        return serde.write(through_json.read(text.encode()))  # equal keys have equal bytes, however they are written

    def of_json(found: Any) -> bytes:
        return of_text(dumps(found))

    def to_json(data: bytes) -> str:
        return dumps(write(serde.read(data)))

    shown = _json_as_it_is if serde.facts.text is TextForm.BYTES else to_json
    return Form(serde, of_text, shown, of_json, f"JSON of {serde.type}")


def _opaque(serde: Serde[Any]) -> Form:
    """What only a serde of the user's own can read: its bytes."""
    plain = _bytes_form(serde, False)

    def refused(_text: str) -> NoReturn:
        raise ValueError(f"{serde.type} has no text")

    return Form(serde, refused, lambda data: f'"{base64.b64encode(data).decode()}"', plain.of_json, "another store")


def _json_as_it_is(data: bytes) -> str:
    """JSON is shown as it was written, with all digits of its numbers, if it is JSON and on one line."""
    try:
        text = data.decode()
        found = _decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return text if "\n" not in text and "\r" not in text else dumps(found)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
