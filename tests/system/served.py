"""An application that runs and answers queries, with a store of each kind."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx

import headrace as hr
import headrace.functions as F
from headrace.log.records import NewRecord, produce
from waiting import while_up


def application(name: str, source: str, broker: str, checkpoint: Path, serve: hr.Serve | None) -> hr.App:
    """Counts words: in a table by word, one by their lengths, in windows, and in sessions of who said them."""
    app = hr.App(name, broker=broker, checkpoint=checkpoint, serve=serve)
    words = app.stream(source, key=hr.STRING, value=hr.STRING)
    words.group_by(lambda _, word: word).count(store="counts")
    words.group_by(lambda _, word: F.length(word)).count(store="lengths")
    words.group_by_key().windowed_by(hr.tumbling("10s")).count(store="by-window")
    words.group_by_key().windowed_by(hr.session("5s")).count(store="visits")
    return app


def say(broker: str, source: str, words: Iterable[tuple[str, str, int]]) -> None:
    """Write (who, word, when)."""
    records = [NewRecord(key=who.encode(), value=word.encode(), timestamp_ms=at) for who, word, at in words]
    produce(broker, None, source, records)


def wait_until(app: hr.App, store: str, key: object, value: object) -> None:
    """Wait for a count to be visible."""

    def visible() -> bool:
        with suppress(hr.HeadraceError):
            return bool(app.store(store).get(key) == value)
        return False

    while_up(app, visible, f"{store} has {value} for {str(key)[:40]}")


class Wire:
    """A connection on which anything can be said."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self.host = f"{where.hostname}:{where.port}"
        self._socket = socket.create_connection((where.hostname, where.port or 80), timeout=60)

    def send(self, data: bytes) -> Wire:
        """Say something; whoever has hung up does not hear it."""
        with suppress(OSError):
            self._socket.sendall(data)
        return self

    def answer(self) -> bytes:
        """All that is said until the other side hangs up."""
        said = b""
        try:
            while data := self._socket.recv(65_536):
                said += data
        except OSError:
            pass
        self.close()
        return said

    def was_hung_up_on(self) -> bool:
        """Whether the other side has hung up; nothing must have been asked."""
        if not select.select([self._socket], [], [], 0)[0]:
            return False
        try:
            return self._socket.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def status_of(answer: bytes) -> int:
    """The status in an answer; 0 if there is none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def code_of(answer: httpx.Response) -> str:
    """The code of an error."""
    code = answer.json()["error"]["code"]
    assert isinstance(code, str)
    return code
