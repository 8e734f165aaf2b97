"""A real server on this machine, in front of an instance in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

import headrace as hr
from headrace.rest.server.running import QueryServer, ServedApp
from headrace.rest.server.settings import Serve
from rest.memory import Memory

ANYWHERE = "127.0.0.1:0"


@dataclass
class Play:
    """A value with fields."""

    song: str
    seconds: int


@pytest.fixture
def memory() -> Memory:
    """The stores of an application for music."""
    memory = Memory(app="music")
    memory.add("counts", hr.STRING, hr.INT64, {"be": 2, "not": 1, "or": 1, "to": 2})
    memory.add("last", hr.INT64, hr.json(Play), {7: Play("Aqualung", 391), -3: Play("Locomotive", 285)})
    in_window = hr.time_windowed(hr.STRING, "10s")
    memory.add(
        "by-window", in_window, hr.INT64, {hr.Windowed("ann", 0, 10_000): 1, hr.Windowed("ann", 10_000, 20_000): 2}
    )
    memory.add("visits", hr.session_windowed(hr.STRING), hr.DOUBLE, {hr.Windowed("bob", 5, 9): 0.5})
    return memory


Serving = Callable[..., QueryServer]


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Start a server for a memory, with these settings."""
    with ExitStack() as started:

        def serve(memory: Memory, **settings: Any) -> QueryServer:
            server = QueryServer([ServedApp(memory)], Serve(**({"address": ANYWHERE} | settings)))
            started.callback(server.close)
            server.start()
            return server

        yield serve


@pytest.fixture
def client(memory: Memory, serving: Serving) -> Iterator[httpx.Client]:
    """Asks a server that is open to this machine."""
    with httpx.Client(base_url=serving(memory).url) as client:
        yield client
