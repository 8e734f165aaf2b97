"""Codec of state: values as JSON that says of each what it is, and never runs code when it is read.

None, bools, numbers, texts, lists and dicts with texts for keys are as JSON has them. All others are objects with the
key "", which says what they are: a kind of `forms`, or the class of an instance, `module:Class`. Only what has no such
form is pickled, see `pickles`. At the top stand a tuple behind "(", bytes behind "b", and behind "v" bytes with a time,
as stores of processors have them.
"""

from __future__ import annotations

from collections.abc import Callable
from json import JSONDecoder, JSONEncoder
from typing import Any

from headrace.model.classes import Classes
from headrace.state.faults import ClassLost, StateFault
from headrace.state.forms import ATOMS, FORMS, KINDS, MARK, NoFormError, listed
from headrace.state.instances import instances_of
from headrace.state.pickles import Pickles

Write = Callable[[Any], Any]
"""What JSON can say of a value."""

_TUPLE, _BYTES, _VALUE, _PICKLED = b"(", b"b", b"v", 0x80
_TIME = 8
_PICKLE = "pickle"


class StateCodec:
    """Writes and reads things, with the classes that are known and what is done with pickles."""

    def __init__(self, classes: Classes, pickles: Pickles) -> None:
        self._classes, self._pickles, self.trusts = classes, pickles, pickles.trusts
        self._writes: dict[type, Write] = {kind: form.write(self._plain) for kind, form in FORMS.items()}
        self._reads: dict[str, Callable[[dict[str, Any]], Any]] = {kind: form.read for kind, form in KINDS.items()}
        self._reads[_PICKLE] = lambda told: pickles.read(told, classes)
        self._text = JSONEncoder(separators=(",", ":"), check_circular=False).encode
        self._parsed = JSONDecoder(object_hook=self._made).raw_decode

    def write(self, thing: Any) -> bytes:
        """The bytes of a thing."""
        try:
            if type(thing) is tuple:
                return self._row(thing) or _TUPLE + self._text(listed(thing, self._plain)).encode()
            if type(thing) is bytes:
                return _BYTES + thing
            return self._text(self._plain(thing)).encode()
        except StateFault:
            raise
        except ValueError as exc:  # a number with more digits than Python writes
            raise StateFault(f"JSON cannot say it: {exc}", "keep less in one value") from exc
        except RecursionError:
            raise StateFault("it is nested too deeply, or contains itself", "keep less in one value") from None

    def read(self, data: bytes) -> Any:
        """The thing of bytes that were written."""
        first = data[:1]
        if first == _BYTES:
            return data[1:]
        if first == _VALUE and len(data) > _TIME:
            return data[1 + _TIME :], int.from_bytes(data[1 : 1 + _TIME], "big", signed=True)
        if data and data[0] == _PICKLED:
            return self._pickles.read_older(data, self._classes)
        try:
            if first == _TUPLE:
                return tuple(self._parsed(data[1:].decode())[0])
            return self._parsed(data.decode())[0]
        except StateFault:
            raise
        except Exception as exc:  # whatever a value makes of parts that it did not write
            reason = f"its bytes are damaged: {type(exc).__name__}: {exc}"
            raise StateFault(reason, "give the checkpoint back, or: headrace reset") from exc

    def _plain(self, value: Any) -> Any:
        if type(value) in ATOMS:
            return value
        write = self._writes.get(type(value))
        if write is None:
            write = self._writes[type(value)] = self._writer(type(value))
        try:
            return write(value)
        except NoFormError:
            return self._pickled(value)

    def _row(self, thing: tuple[Any, ...]) -> bytes | None:
        """The rows that most stores have in short: numbers and bytes with their times."""
        if len(thing) == 2 and type(thing[1]) is int:
            value, ts = thing
            if type(value) is int:
                return b"([%d,%d]" % thing
            if type(value) is bytes and -(2**63) <= ts < 2**63:
                return b"".join((_VALUE, ts.to_bytes(_TIME, "big", signed=True), value))
        return None

    def _writer(self, cls: type) -> Write:
        instances, name = instances_of(cls), self._classes.name(cls)
        if instances is None or self._found(name) is not cls:
            return self._pickled
        parts, plain = instances.parts, self._plain

        def write(value: Any) -> Any:
            told = {MARK: name}
            for part, one in parts(value).items():
                told[part] = one if type(one) in ATOMS else plain(one)
            return told

        return write

    def _pickled(self, value: Any) -> Any:
        return {MARK: _PICKLE, **self._pickles.write(value, self._classes)}

    def _made(self, told: dict[str, Any]) -> Any:
        """The value of a JSON object; those inside are made already."""
        kind = told.pop(MARK, None)
        if kind is None:
            return told
        read = self._reads.get(kind)
        if read is None:
            read = self._reads[kind] = self._reader(kind, told)
        return read(told)

    def _reader(self, name: str, told: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
        cls = self._found(name)
        instances = instances_of(cls) if isinstance(cls, type) else None
        if instances is None:
            raise ClassLost(name, told)
        return lambda told: instances.make(name, told)

    def _found(self, name: str) -> Any:
        try:
            return self._classes.find(name)
        except LookupError:
            return None
