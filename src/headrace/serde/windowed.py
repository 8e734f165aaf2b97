"""Windowed keys, with the bytes of Kafka's own windowed serdes: other clients read what these write."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, ClassVar

from headrace.model.durations import Duration, duration_ms
from headrace.model.source_lines import calling_line
from headrace.model.types import Type
from headrace.model.windows import LATEST_MS, Windowed, windowed_of
from headrace.serde.base import Serde

_START = struct.Struct(">q")
_END_START = struct.Struct(">qq")


@dataclass(frozen=True)
class TimeWindowedSerde(Serde[Windowed[Any]]):
    """The key, then the start of its window in 8 bytes; the end is known from the size of the windows."""

    window_bytes: ClassVar[int] = _START.size

    inner: Serde[Any]
    size_ms: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the serde, with what it needs to read."""
        return f"windowed {self.inner.name} {self.size_ms} ms"

    @property
    def type(self) -> Type:  # type: ignore[override]
        """Of the keys."""
        return windowed_of(self.inner.type)

    def write(self, value: Windowed[Any]) -> bytes:
        return self.inner.write(_windowed(value).key) + _START.pack(value.start)

    def read(self, data: bytes) -> Windowed[Any]:
        key, (start,) = _split(data, _START)
        return Windowed(self.inner.read(key), start, min(start + self.size_ms, LATEST_MS))


@dataclass(frozen=True)
class SessionWindowedSerde(Serde[Windowed[Any]]):
    """The key, then the end and the start of its session in 8 bytes each."""

    window_bytes: ClassVar[int] = _END_START.size

    inner: Serde[Any]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the serde."""
        return f"session {self.inner.name}"

    @property
    def type(self) -> Type:  # type: ignore[override]
        """Of the keys."""
        return windowed_of(self.inner.type)

    def write(self, value: Windowed[Any]) -> bytes:
        return self.inner.write(_windowed(value).key) + _END_START.pack(value.end, value.start)

    def read(self, data: bytes) -> Windowed[Any]:
        key, (end, start) = _split(data, _END_START)
        return Windowed(self.inner.read(key), start, end)


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
