"""Async calls: several calls of a function at once, with timeouts and retries."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from headrace.model.durations import duration_text

T = TypeVar("T")

Call = Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of all tries of one call."""

    value: Any = None
    error: BaseException | None = None
    reason: str = ""
    """Why it failed, in words."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of calls: how many are in flight at once, how long one may take, how often it is tried again."""

    concurrency: int
    timeout_ms: int | None = None
    retries: int = 0
    backoff_ms: int = 0

    def pause(self, tries: int) -> float:
        """How many seconds to wait after so many tries: each time twice as long, and never by chance."""
        return float(self.backoff_ms * 2 ** (tries - 1) / 1_000)

    def too_long(self, tries: int) -> str:
        """The words for a call of which every try took too long."""
        assert self.timeout_ms is not None
        return f"took longer than {duration_text(self.timeout_ms)}" + (f", {tries} times" if tries > 1 else "")


class Calls:
    """Makes calls in an event loop of its own, which stays: what a function keeps between its calls goes on to work.

    Whatever order the calls end in, their outcomes are in the order they were asked for.
    """

    def __init__(self, call: Call, limits: CallLimits) -> None:
        self._call, self._limits = call, limits
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._closing: weakref.finalize[..., Calls] | None = None

    def outcomes(self, given: Sequence[Any], *, stop: bool) -> list[Outcome]:
        """Call for each of these; with `stop` up to the first that fails, and no call begins then."""
        if self._closing is None:  # for those who never close: a loop that is left open warns
            self._closing = weakref.finalize(self, _apart(self._runner.get_loop).close)
        return _apart(lambda: self._runner.run(self._all(given, stop=stop)))

    def close(self) -> None:
        """Close: no call is made any more, and calls that still run are cancelled."""
        _apart(self._runner.close)

    async def _all(self, given: Sequence[Any], *, stop: bool) -> list[Outcome]:
        outcomes: list[Outcome | None] = [None] * len(given)
        failed = False

        async def work(waiting: Iterator[tuple[int, Any]]) -> None:
            nonlocal failed
            while not (stop and failed):
                at, one = next(waiting, (None, None))
                if at is None:
                    return
                outcomes[at] = outcome = await self._tried(one)
                failed = failed or outcome.error is not None

        waiting = iter(enumerate(given))
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(self._limits.concurrency, len(given))):
                workers.create_task(work(waiting))
        return list(_ended(outcomes, stop=stop))

    async def _tried(self, given: Any) -> Outcome:
        limits, slow, tries = self._limits, 0, 0
        while True:
            task = asyncio.ensure_future(self._awaited(given))  # its own: the function may cancel itself, not others
            tries += 1
            if not await self._ends(task):
                slow += 1
                error: BaseException = TimeoutError(limits.too_long(1))
                reason = limits.too_long(tries) if slow == tries else limits.too_long(1)
            elif task.cancelled():
                error = asyncio.CancelledError()
                reason = "the call was cancelled"
            elif (raised := task.exception()) is not None:
                error, reason = raised, str(raised) or type(raised).__name__
            else:
                return Outcome(task.result())
            if tries > limits.retries:
                last = f" (the last of {tries} tries)" if tries > 1 and slow < tries else ""
                return Outcome(error=error, reason=reason + last)
            await asyncio.sleep(limits.pause(tries))

    async def _ends(self, task: asyncio.Future[Any]) -> bool:
        """Wait for a call; whether it ended in time. One that did not is cancelled, and has ended by then, too."""
        seconds = None if self._limits.timeout_ms is None else self._limits.timeout_ms / 1_000
        done, _ = await asyncio.wait((task,), timeout=seconds)
        if done:
            return True
        task.cancel()
        await asyncio.wait((task,))
        if not task.cancelled():
            task.exception()  # it is known, and not told again
        return False

    async def _awaited(self, given: Any) -> Any:
        return await self._call(given)


def _ended(outcomes: Sequence[Outcome | None], *, stop: bool) -> Iterator[Outcome]:
    """The outcomes; with `stop` up to the first that failed: all before it were begun before it, and have ended."""
    for outcome in outcomes:
        assert outcome is not None, "calls begin in order"
        yield outcome
        if stop and outcome.error is not None:
            return


def _apart(function: Callable[[], T]) -> T:
    """Run what needs an event loop in this thread; in another one if this has a loop that runs, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()
