"""As much of HTTP as it takes to ask for a count: cheap, for who asks must not be what is measured."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from bench.workloads.base import Void

HOST, APP, STORE = "127.0.0.1", "bench", "counts"
KEYS = f"/apps/{APP}/stores/{STORE}/keys/"

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and what goes with it."""

    status: int
    body: bytes

    @property
    def count(self) -> int:
        """Of the key that was asked for; anything but a count is not accepted."""
        if self.status != 200:
            raise Void(f"answered {self.status}: {self.body[:200].decode(errors='replace')}")
        value = json.loads(self.body)["value"]
        if type(value) is not int or value < 1:
            raise Void(f"answered with {value!r}, which is no count")
        return value


def request(path: str) -> bytes:
    """A question on a connection that stays open."""
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()


def parsed(data: bytes | bytearray) -> Answer | None:
    """The answer, if all of it is there."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    length = _LENGTH.search(data, 0, end + 2)
    if length is None:
        raise Void(f"answered without a length: {bytes(data[:200])!r}")
    if len(data) < end + 4 + int(length[1]):
        return None
    return Answer(int(data[9:12]), bytes(data[end + 4 :]))


class Asker:
    """A connection on which one question follows the other."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((HOST, port), _LIMIT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, path: str) -> Answer:
        """Ask, and wait for the answer."""
        self._socket.sendall(request(path))
        data = bytearray()
        while (answer := parsed(data)) is None:
            more = self._socket.recv(1 << 16)
            if not more:
                raise Void("the connection was closed instead of an answer")
            data += more
        return answer

    def count(self, key: int, absent: int | None = None) -> int:
        """That of a key; a key that is not there has none, or what is said here."""
        answer = self.get(f"{KEYS}{key}")
        return absent if answer.status == 404 and absent is not None else answer.count

    def close(self) -> None:
        self._socket.close()


def free_port() -> int:
    """One that nobody listens at."""
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


def quantile(ordered: Sequence[float], share: float) -> float:
    """That which this share of the values, in their order, does not exceed."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
