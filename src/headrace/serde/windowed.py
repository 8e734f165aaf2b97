"""Windowed keys, with the bytes of Kafka's own windowed serdes: other clients read what these write."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from headrace.model.durations import Duration, duration_ms
from headrace.model.source_lines import calling_line
from headrace.model.types import Type
from headrace.model.windows import LATEST_MS, Windowed, windowed_of
from headrace.serde.base import Headers, Serde
from headrace.serde.facts import Facts, Side, WindowedCodec

_START = struct.Struct(">q")
_END_START = struct.Struct(">qq")


@dataclass(frozen=True)
class WindowedSerde(Serde[Windowed[Any]]):
    """Serde of windowed keys: the key, then the times of its window."""

    window_bytes: ClassVar[int]
    """The length of those times."""

    inner: Serde[Any]

    @property
    def type(self) -> Type:  # type: ignore[override]
        """Of the keys."""
        return windowed_of(self.inner.type)

    def for_topic(self, topic: str | None, side: Side) -> Serde[Windowed[Any]]:
        return replace(self, inner=self.inner.for_topic(topic, side))

    def read(self, data: bytes) -> Windowed[Any]:
        return self._read(data, self.inner.read)

    def read_with(self, data: bytes, headers: Headers) -> Windowed[Any]:
        return self._read(data, lambda key: self.inner.read_with(key, headers))

    def headers_of(self, value: Windowed[Any]) -> Headers:
        return self.inner.headers_of(_windowed(value).key)

    @abstractmethod
    def _read(self, data: bytes, inner: Callable[[bytes], Any]) -> Windowed[Any]:
        """The windowed key of some bytes, of which `inner` reads the key."""

    def _facts(self, size_ms: int | None) -> Facts:
        inner = self.inner.facts
        kernel = None if inner.kernel is None else WindowedCodec(inner.kernel, size_ms)
        return Facts(kernel=kernel, headers=inner.headers)


@dataclass(frozen=True)
class TimeWindowedSerde(WindowedSerde):
    """The key, then the start of its window in 8 bytes; the end is known from the size of the windows."""

    window_bytes: ClassVar[int] = _START.size

    size_ms: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the serde, with what it needs to read."""
        return f"windowed {self.inner.name} {self.size_ms} ms"

    @property
    def facts(self) -> Facts:
        return self._facts(self.size_ms)

    def write(self, value: Windowed[Any]) -> bytes:
        return self.inner.write(_windowed(value).key) + _START.pack(value.start)

    def _read(self, data: bytes, inner: Callable[[bytes], Any]) -> Windowed[Any]:
        key, (start,) = _split(data, _START)
        return Windowed(inner(key), start, min(start + self.size_ms, LATEST_MS))


@dataclass(frozen=True)
class SessionWindowedSerde(WindowedSerde):
    """The key, then the end and the start of its session in 8 bytes each."""

    window_bytes: ClassVar[int] = _END_START.size

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the serde."""
        return f"session {self.inner.name}"

    @property
    def facts(self) -> Facts:
        return self._facts(None)

    def write(self, value: Windowed[Any]) -> bytes:
        return self.inner.write(_windowed(value).key) + _END_START.pack(value.end, value.start)

    def _read(self, data: bytes, inner: Callable[[bytes], Any]) -> Windowed[Any]:
        key, (end, start) = _split(data, _END_START)
        return Windowed(inner(key), start, end)


def time_windowed(inner: Serde[Any], size: Duration) -> TimeWindowedSerde:
    """Keys of tumbling, hopping or sliding windows, to read them again: `hr.time_windowed(hr.STRING, "1m")`."""
    return TimeWindowedSerde(inner, duration_ms("size", size, calling_line() or "?", least=1))


def session_windowed(inner: Serde[Any]) -> SessionWindowedSerde:
    """Keys of sessions, to read them again: `hr.session_windowed(hr.STRING)`."""
    return SessionWindowedSerde(inner)


def _windowed(value: object) -> Windowed[Any]:
    if not isinstance(value, Windowed):
        raise ValueError(f"{value!r} is a {type(value).__name__}, a Windowed key is needed")
    return value


def _split(data: bytes, times: struct.Struct) -> tuple[bytes, tuple[int, ...]]:
    if len(data) < times.size:
        raise ValueError(f"{len(data)} bytes, at least {times.size} are needed for the times of the window")
    return data[: -times.size], times.unpack(data[-times.size :])
