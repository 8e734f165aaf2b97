"""Service: one application of a server, with its instance and its stores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from headrace.errors import StoreNotAsked, TooManyRequests
from headrace.observe.history import History
from headrace.observe.prometheus import MetricFamily
from headrace.plan.subtopology import SubTopology
from headrace.query.requests import Get, Question, Reply
from headrace.query.service.ports import Serving
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.request_metrics import Counts
from headrace.rest.server.settings import Limits

P = ParamSpec("P")
R = TypeVar("R")


class Service:
    """Service of one application: everything that handlers work with."""

    def __init__(
        self,
        answering: Serving,
        limits: Limits,
        topology: Sequence[SubTopology] = (),
        families: Callable[[], Sequence[MetricFamily]] = tuple,
        history: History | None = None,
    ) -> None:
        self.answering, self.limits, self.topology = answering, limits, tuple(topology)
        self.families = families
        """The numbers of the application, where it runs in this process."""

        self.history = history
        """What the application has done over time, where it runs in this process."""

        self.app = answering.app
        self.stores = {name: StoreForm(one) for name, one in answering.stores.items()}
        self.counts = Counts()
        self._working = 0
        self._workers = ThreadPoolExecutor(limits.requests, thread_name_prefix="headrace-queries")
        self._helpers = ThreadPoolExecutor(limits.requests, thread_name_prefix="headrace-peers")

    def store(self, name: str) -> StoreForm:
        """The store of that name."""
        found = self.stores.get(name)
        if found is None:
            raise StoreNotAsked(name[:100], self.app, self.stores)
        return found

    async def answer(self, question: Question) -> Reply:
        """The answer, at once or after a while."""
        if isinstance(question, Get):
            found = self.answering.at_once(question)
            if found is not None:
                return found
        return await self.work(self.answering.answer, question)

    async def work(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call what may take its time, in a thread; refused if too many others wait for one."""
        if self._working >= self.limits.requests + self.limits.waiting:
            raise TooManyRequests("requests at work")
        self._working += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._workers, lambda: call(*args, **kwargs))
        finally:
            self._working -= 1

    async def help(self, question: Question, partitions: Collection[int]) -> Reply:
        """Answer another instance: in threads of its own.

        Those of `work` may all wait for that one, while its own all wait for this one.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._helpers, self.answering.local, question, partitions)

    def close(self) -> None:
        """Give back the threads; whoever still waits in one gets no answer."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._helpers.shutdown(wait=False, cancel_futures=True)
