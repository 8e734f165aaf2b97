"""Query service of an application: an instance, and the server in front of it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.jvm.paths import data_dir
from headrace.observe.history import History
from headrace.observe.prometheus import MetricFamily
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.query.catalogue import catalogue
from headrace.query.position import Position
from headrace.query.service.proof import Proof
from headrace.rest.server.settings import Serve

if TYPE_CHECKING:
    from headrace.query.service.instance import Instance
    from headrace.rest.server.shared import SharedServer

_LOOK_S = 0.02
_PATIENCE_S = 5.0


class Queries:
    """The stores of one application, answered for here; over HTTP, too, unless nothing is to be served.

    The address is taken first and everything else later: whoever starts it for an application fails at once, and not
    when Spark is up.
    """

    def __init__(self, app: str, serve: Serve | None, say: Callable[[str], None]) -> None:
        self._app, self._serve, self._say = app, serve, say
        self._held = ExitStack()
        self._server: SharedServer | None = None
        self.instance: Instance | None = None
        self._settled = False
        if serve is not None:
            from headrace.rest.server.authentication import Gate  # loads what speaks HTTP
            from headrace.rest.server.running import check_tls
            from headrace.rest.server.shared import join

            check_tls(serve)
            Gate(serve).close()
            self._server = join(app, serve)

    def start(
        self,
        plan: Plan,
        address: str,
        kafka: Mapping[str, str] | None,
        directory: Path,
        families: Callable[[], Sequence[MetricFamily]] = tuple,
        history: History | None = None,
    ) -> Instance:
        """Begin to read the changelogs, and to answer; returns when it does, be it that nobody answers yet."""
        from headrace.query.service.instance import Instance  # loads RocksDB

        serve, server, stores = self._serve, self._server, catalogue(plan)
        url, peers, proof, options = "", None, None, dict[str, int]()
        if serve is not None and server is not None:
            from headrace.rest.client.peers import HttpPeers

            url, peers = server.listener.url, HttpPeers(serve, plan.app)
            proof = Proof.of(serve.secret)
            options = {"standbys": serve.standbys, "requests": serve.limits.requests}
            self._held.callback(peers.close)
            directory = Path(serve.directory) if serve.directory is not None else directory
        instance = Instance(
            plan.app, stores, address, kafka, directory, url=url, peers=peers, proof=proof, say=self._say, **options
        )
        self._held.callback(instance.close)
        if server is not None:
            from headrace.rest.server.running import ServedApp

            self._held.callback(server.leave, self._app)
            server.serve(ServedApp(instance, split_subtopologies(plan), families, history))
        instance.start()
        self._leave_out_of_collections()
        self.instance = instance
        if url:
            self._say(f"queries at {url}")
        if server is not None and server.listener.less is not None:
            self._say(server.listener.less)
        return instance

    def _leave_out_of_collections(self) -> None:
        """All that is loaded by now stays; to look through it for garbage would hold up answers for 0.1 s each time."""
        gc.collect()
        gc.freeze()
        self._held.callback(gc.unfreeze)

    def settled(self) -> Instance | None:
        """Query service, if there is one. Right after the start it is waited for a little."""
        deadline = time.monotonic() + _PATIENCE_S
        while not self._settled and self.instance is not None and time.monotonic() < deadline:
            self._settled = self.instance.ready
            time.sleep(0 if self._settled else _LOOK_S)
        self._settled = True
        return self.instance

    @property
    def port(self) -> int:
        """Port of the query server; 0 if there is none."""
        return self._server.listener.port if self._server is not None else 0

    @property
    def url(self) -> str | None:
        """Address of the query server; None while there is none."""
        return self.instance.url or None if self.instance is not None else None

    def note(self, offsets: Mapping[tuple[str, int], int]) -> None:
        """The application has come so far."""
        if self.instance is not None:
            self.instance.note(Position(offsets))

    def close(self) -> None:
        """Answer no more. Safe to call twice."""
        self.instance = None
        self._held.close()
        if self._server is not None:
            self._server.leave(self._app)


def usual_directory(app: str, port: int) -> Path:
    """Directory of an instance's replicas: one that listens at the same port goes on with them."""
    return data_dir() / "queries" / app / str(port)
