"""The event loop's time goes round: watchers that have much to be written do not hold up anything else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from headrace.rest.server.turns import Turns

PART = bytes(16 << 10)


def test_pieces_are_made_in_turn_and_everything_else_comes_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.rest.server.turns._SLICE_S", 0.0)  # one piece is all that fits
    made: list[int | str] = []

    def parts(watcher: int) -> Iterator[bytes]:
        for _ in range(3):
            made.append(watcher)
            yield PART

    async def write(turns: Turns, watcher: int) -> None:
        async for piece in turns.pieces(parts(watcher)):
            assert piece == [PART]

    async def answer_for_health(writing: asyncio.Future[list[None]]) -> None:
        while not writing.done():
            made.append("health")
            await asyncio.sleep(0)

    async def run() -> None:
        turns = Turns()
        writing = asyncio.gather(*(write(turns, watcher) for watcher in range(100)))
        await answer_for_health(writing)

    asyncio.run(run())
    pieces = [one for one in made if one != "health"]
    assert pieces == [*range(100)] * 3  # each has its first before any has its second
    text = "".join("h" if one == "health" else "p" for one in made)
    assert "pp" not in text


def test_who_has_left_the_line_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.rest.server.turns._SLICE_S", 0.0)

    async def run() -> None:
        turns = Turns()
        waiting = [asyncio.create_task(turns.call(str, number)) for number in range(5)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        waiting[2].cancel()
        done = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 10)
        assert [one for one in done if isinstance(one, str)] == ["0", "3", "4"]

    asyncio.run(run())


def test_what_is_short_does_not_wait() -> None:
    async def run() -> None:
        turns = Turns()
        for number in range(10):
            coroutine = turns.call(str, number)
            with pytest.raises(StopIteration) as ended:  # it is done without having been put off
                coroutine.send(None)
            assert ended.value.value == str(number)

    asyncio.run(run())
