"""Pickled values in state: signed, so that nobody else's are read, for to read one is to run what it says."""

from __future__ import annotations

import base64
import hmac
import pickle
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from io import BytesIO
from types import FunctionType
from typing import Any

from headrace.model.classes import Classes
from headrace.model.programs import MAIN
from headrace.state.faults import ClassLost, StateFault

_PROTOCOL = 5


class PickledState(Enum):
    """Policy for values that only a pickle can hold."""

    SIGN = "sign"
    """They are signed, and read only with a signature of the same key."""
    REFUSE = "refuse"
    """None is written, and none is read."""
    TRUST = "trust"
    """All are read, whoever wrote them; those that are written are signed."""


@dataclass(frozen=True)
class Pickles:
    """Writes and reads pickles with a key; without one none can be signed."""

    rule: PickledState = PickledState.SIGN
    key: bytes | None = None

    @property
    def trusts(self) -> bool:
        """Whether pickles are read that nobody has signed."""
        return self.rule is PickledState.TRUST

    def write(self, value: Any, classes: Classes) -> dict[str, str]:
        """A value as text, and its signature."""
        kind = f"a {type(value).__module__}.{type(value).__qualname__}"
        if self.rule is PickledState.REFUSE:
            raise StateFault(
                f"{kind} is in it, which could only be pickled, and pickled_state is {self.rule.value!r}",
                "use dataclasses, enums, pydantic models, and Python's own types",
            )
        if self.key is None:
            raise StateFault(f"{kind} is in it, which can only be pickled, and there is no key to sign it", _KEY)
        data = _pickled(value, kind, classes)
        return {"of": base64.b64encode(data).decode("ascii"), "signed": self._signature(data)}

    def read(self, told: dict[str, Any], classes: Classes) -> Any:
        """The value of a text with a signature."""
        if self.rule is PickledState.REFUSE:
            raise StateFault(f"it has a pickled value, and pickled_state is {self.rule.value!r}", _TRUST)
        data = base64.b64decode(told["of"])
        signed = self.key is not None and hmac.compare_digest(self._signature(data), str(told.get("signed")))
        if not signed and not self.trusts:
            raise StateFault(
                "it has a pickled value with a signature of another key",
                f"give this application its key: {_KEY}; {_TRUST}",
            )
        return _unpickled(data, classes)

    def read_older(self, data: bytes, classes: Classes) -> Any:
        """Read state of a version of headrace that pickled all, and signed nothing."""
        if not self.trusts:
            raise StateFault("an earlier version of headrace has pickled it, without a signature", _TRUST)
        return _unpickled(data, classes)

    def _signature(self, data: bytes) -> str:
        assert self.key is not None
        return hmac.new(self.key, data, sha256).hexdigest()


_KEY = 'App(state_key="${env:NAME}"), or a data directory that can be written and that lasts (HEADRACE_DATA_DIR)'
_TRUST = 'App(pickled_state="trust") reads it, if nobody else could write the checkpoint; or: headrace reset'


class _Pickler(pickle.Pickler):
    """Knows classes and functions of the program by the name that others import them by."""

    def __init__(self, file: BytesIO, classes: Classes) -> None:
        super().__init__(file, _PROTOCOL)
        self._classes = classes

    def persistent_id(self, obj: Any) -> str | None:
        if isinstance(obj, type | FunctionType) and obj.__module__ in (MAIN, self._classes.program):
            return self._classes.name(obj)
        return None


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, classes: Classes) -> None:
        super().__init__(BytesIO(data))
        self._classes = classes

    def persistent_load(self, pid: Any) -> Any:
        try:
            return self._classes.find(pid, load=True)
        except LookupError:
            raise ClassLost(str(pid), ()) from None

    def find_class(self, module: str, name: str) -> Any:
        try:
            return self._classes.find(f"{module}:{name}", load=True)
        except LookupError:
            raise ClassLost(f"{module}:{name}", ()) from None


def _pickled(value: Any, kind: str, classes: Classes) -> bytes:
    file = BytesIO()
    try:
        _Pickler(file, classes).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as exc:
        raise StateFault(
            f"{kind} is in it, and cannot be pickled: {exc}",
            "declare its class at the top of a module, or keep what it is made of",
        ) from exc
    return file.getvalue()


def _unpickled(data: bytes, classes: Classes) -> Any:
    try:
        return _Unpickler(data, classes).load()
    except StateFault:
        raise
    except Exception as exc:
        reason = f"a pickled value in it cannot be read: {type(exc).__name__}: {exc}"
        raise StateFault(reason, "give the class back what it needs, or: headrace reset") from exc
