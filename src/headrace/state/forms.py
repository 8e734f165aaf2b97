"""Forms of Python's own types in JSON, each an object that says what it is."""

from __future__ import annotations

import base64
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

MARK = ""
"""The key of an object under which it says what it is."""

Told = dict[str, Any]
Plain = Callable[[Any], Any]

_OF, _MICROSECOND = "of", timedelta(microseconds=1)
_FACTORIES: dict[str, Any] = {one.__name__: one for one in (int, float, str, bool, list, dict, set)}


class NoFormError(Exception):
    """A value of a type with a form has none itself, for something is in it that the form cannot say."""


@dataclass(frozen=True)
class Form:
    """Form of the values of one type in JSON: written, given how those inside are, and read."""

    write: Callable[[Plain], Plain]
    read: Callable[[Told], Any]


ATOMS = frozenset({int, str, float, bool, type(None)})
"""The types of values that are as JSON has them."""


def listed(values: Iterable[Any], plain: Plain) -> list[Any]:
    """JSON of some values, one by one."""
    return [one if type(one) in ATOMS else plain(one) for one in values]


def _items(kind: str, make: Callable[[Iterable[Any]], Any]) -> Form:
    return Form(lambda plain: lambda value: {MARK: kind, _OF: listed(value, plain)}, lambda told: make(told[_OF]))


def _text(kind: str, write: Callable[[Any], str], read: Callable[[str], Any]) -> Form:
    return Form(lambda _: lambda value: {MARK: kind, _OF: write(value)}, lambda told: read(told[_OF]))


def _pairs(kind: str, make: Callable[[Any], Any]) -> Form:
    def write(plain: Plain) -> Plain:
        return lambda value: {MARK: kind, _OF: _flat(value, plain)}

    return Form(write, lambda told: make(_unflat(told[_OF])))


def _flat(value: Mapping[Any, Any], plain: Plain) -> list[Any]:
    return listed(chain.from_iterable(value.items()), plain)


def _unflat(given: list[Any]) -> Iterable[tuple[Any, Any]]:
    items = iter(given)
    return zip(items, items, strict=True)


def _list(plain: Plain) -> Plain:
    return lambda value: listed(value, plain)


def _dict(plain: Plain) -> Plain:
    def write(value: dict[Any, Any]) -> Any:
        if MARK not in value and all(type(key) is str for key in value):
            return {key: one if type(one) in ATOMS else plain(one) for key, one in value.items()}
        return {MARK: "dict", _OF: _flat(value, plain)}

    return write


def _deque(plain: Plain) -> Plain:
    return lambda value: {MARK: "deque", "most": value.maxlen, _OF: listed(value, plain)}


def _defaults(plain: Plain) -> Plain:
    def write(value: defaultdict[Any, Any]) -> Any:
        name = next((name for name, made in _FACTORIES.items() if made is value.default_factory), None)
        if name is None and value.default_factory is not None:
            raise NoFormError
        return {MARK: "defaultdict", "default": name, _OF: _flat(value, plain)}

    return write


def _moment(plain: Plain) -> Plain:  # noqa: ARG001
    def write(value: datetime) -> Any:
        told: Told = {MARK: "datetime", _OF: value.replace(tzinfo=None).isoformat()}
        if value.fold:
            told["fold"] = True
        if value.tzinfo is not None:
            told["zone"] = _zone(value.tzinfo)
        return told

    return write


def _zone(zone: tzinfo) -> str | int:
    """The name of a time zone, or how many microseconds it always is from UTC."""
    if type(zone) is ZoneInfo and zone.key:
        return zone.key
    if type(zone) is timezone and zone.tzname(None) == timezone(zone.utcoffset(None)).tzname(None):
        return zone.utcoffset(None) // _MICROSECOND
    raise NoFormError


def _moment_of(told: Told) -> datetime:
    zone, fold = told.get("zone"), 1 if told.get("fold") else 0
    made = datetime.fromisoformat(told[_OF]).replace(fold=fold)
    if zone is None:
        return made
    if isinstance(zone, str):
        return made.replace(tzinfo=ZoneInfo(zone))
    return made.replace(tzinfo=timezone(zone * _MICROSECOND) if zone else UTC)


def _time(plain: Plain) -> Plain:  # noqa: ARG001
    def write(value: time) -> Any:
        if value.tzinfo is not None or value.fold:
            raise NoFormError
        return {MARK: "time", _OF: value.isoformat()}

    return write


def _span(plain: Plain) -> Plain:  # noqa: ARG001
    return lambda value: {MARK: "timedelta", _OF: [value.days, value.seconds, value.microseconds]}


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


FORMS: dict[type, Form] = {
    list: Form(_list, lambda told: told[_OF]),
    dict: Form(_dict, lambda told: dict(_unflat(told[_OF]))),
    tuple: _items("tuple", tuple),
    set: _items("set", set),
    frozenset: _items("frozenset", frozenset),
    deque: Form(_deque, lambda told: deque(told[_OF], told["most"])),
    Counter: _pairs("Counter", lambda pairs: Counter(dict(pairs))),
    OrderedDict: _pairs("OrderedDict", OrderedDict),
    defaultdict: Form(_defaults, lambda told: defaultdict(_FACTORIES.get(told["default"] or ""), _unflat(told[_OF]))),
    bytes: _text("bytes", _base64, base64.b64decode),
    bytearray: _text("bytearray", _base64, lambda text: bytearray(base64.b64decode(text))),
    complex: _text("complex", repr, complex),
    Decimal: _text("Decimal", str, Decimal),
    Fraction: _text("Fraction", str, Fraction),
    UUID: _text("UUID", str, UUID),
    date: _text("date", date.isoformat, date.fromisoformat),
    datetime: Form(_moment, _moment_of),
    time: Form(_time, lambda told: time.fromisoformat(told[_OF])),
    timedelta: Form(_span, lambda told: timedelta(*told[_OF])),
}
"""By the type of a value; subclasses have forms of their own, or none."""

KINDS: dict[str, Form] = {kind.__name__: form for kind, form in FORMS.items()}
"""The same by what an object says that it is."""
