"""Facts of a serde: what plans, stores, tests and servers have to know of its bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Side(Enum):
    """Side of a record that a serde writes: its key or its value."""

    KEY = "key"
    VALUE = "value"


@dataclass(frozen=True)
class KernelCodec:
    """Codec of the kernel that writes the bytes of a serde: a class of `kernel/`, and the text that it is told."""

    codec: str
    """The name of the class; one that is not in the kernel's package of codecs is named in full."""

    settings: Callable[[], str] = str
    """Called when a query is compiled: serdes of topologies that run in Python alone need not have it."""


@dataclass(frozen=True)
class WindowedCodec:
    """Codec of windowed keys: that of the key, and behind it the start of the window, or the end and the start."""

    key: KernelForm
    size_ms: int | None
    """The size of the windows; None for sessions, whose end is written too."""


KernelForm = KernelCodec | WindowedCodec


class TextForm(Enum):
    """Form in which people read and type a value: in tests, in paths of URLs, at the command line."""

    PLAIN = "plain"
    """As its type is written: text as it is, digits, true or false; whatever has no such form as JSON, if it can."""

    JSON = "json"
    """As JSON of its type."""

    BYTES = "bytes"
    """As its bytes, which are JSON: numbers keep all of their digits."""


class Ordering(Enum):
    """Order of keys, as their bytes are compared."""

    BYTES = "bytes"
    """By their bytes."""

    INT = "int"
    """As two's complement, the highest byte first."""

    FLOAT = "float"
    """As IEEE 754, the highest byte first; NaN comes last."""


@dataclass(frozen=True)
class KeyOrder:
    """Order of keys in a store that is asked for ranges."""

    ordering: Ordering = Ordering.BYTES
    size: int | None = None
    """Of all keys, in bytes; None if they differ."""

    prefixes: bool = False
    """Whether the beginning of a key means something, so that keys can be asked for by it."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Facts of a serde; of one of the user's own nothing is known, as the defaults have it."""

    format: str | None = None
    """The name of the format; serdes of different formats do not read one another's bytes."""

    kernel: KernelForm | None = None
    """The codec of the kernel; without one, records are read and written in Python processes."""

    text: TextForm = TextForm.PLAIN

    keys: KeyOrder = KeyOrder()

    headers: tuple[str, ...] = ()
    """The names of the headers that the serde reads and writes beside the bytes, such as that of a schema's id."""
