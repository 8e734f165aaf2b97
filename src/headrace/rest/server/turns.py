"""Turns of watchers: slices of the event loop's time, between which the server answers all else."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_SLICE_S = 0.004
"""So much time watchers have together in one pass of the loop; further ones wait in line."""

_SENDING_S = 0.0001
"""About what it takes to hand a piece to the connection."""

_JOINING_S = 0.0005
"""About what it takes to begin a watch."""

_PIECE = 16 << 10


class Turns:
    """The line of the watchers that have something to be written: first come, first served, a piece each time."""

    def __init__(self) -> None:
        self._line: deque[asyncio.Future[None]] = deque()
        self._spent, self._renewed = 0.0, True

    async def wait(self) -> None:
        """Wait for a turn, if watchers have had their time in this pass of the loop."""
        if self._spent < _SLICE_S and not self._line:
            return
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        self._renew()
        await turn

    async def join(self) -> None:
        """Wait for a turn to begin a watch."""
        await self.wait()
        self._spend(_JOINING_S)

    async def call(self, what: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call something short in a turn."""
        await self.wait()
        began = time.perf_counter()
        try:
            return what(*args, **kwargs)
        finally:
            self._spend(time.perf_counter() - began)

    async def pieces(self, parts: Iterable[bytes]) -> AsyncIterator[list[bytes]]:
        """Parts as they are made, gathered to pieces, each made in a turn of its own."""
        making, more = iter(parts), True
        while more:
            piece, more = await self.call(_piece, making)
            if piece:
                self._spend(_SENDING_S)
                yield piece

    def _spend(self, seconds: float) -> None:
        self._spent += seconds
        self._renew()

    def _renew(self) -> None:
        """See to the next pass of the loop."""
        if self._renewed:
            self._renewed = False
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._renewed, self._spent = True, 0.0
        while self._line:
            turn = self._line.popleft()
            if not turn.done():  # else it has left the line
                turn.set_result(None)
                break
        if self._line:
            self._renew()


def _piece(parts: Iterator[bytes]) -> tuple[list[bytes], bool]:
    """Parts of about the size of a piece, and whether there may be more."""
    piece, size = list[bytes](), 0
    for part in parts:
        piece.append(part)
        size += len(part)
        if size >= _PIECE:
            return piece, True
    return piece, False
