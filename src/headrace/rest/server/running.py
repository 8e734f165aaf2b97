"""Running server: a thread of its own, beside whatever else the process does."""

from __future__ import annotations

import atexit
import errno
import logging
import os
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn

from headrace.errors import CertificateUnreadable, ListenRefused
from headrace.observe.history import History
from headrace.observe.prometheus import MetricFamily
from headrace.plan.subtopology import SubTopology
from headrace.query.service.ports import Serving
from headrace.rest.client.peers import PeerWatches
from headrace.rest.server.applications import Applications
from headrace.rest.server.authentication import Gate
from headrace.rest.server.descriptors import fitted, told
from headrace.rest.server.protocol import Socket, guarded
from headrace.rest.server.service import Service
from headrace.rest.server.settings import USUAL_ADDRESS, Serve
from headrace.rest.server.web import Web
from headrace.rest.watch.registry import Room, Watchers

_BACKLOG = 2_048
_NEXT_PORTS = 100
_KEEP_ALIVE_S = 30
_SHUTDOWN_S = 2
_JOIN_S = 5.0
_SMALL_MESSAGE = 4_096


class Listener:
    """A socket that is bound: its address is known before anybody is answered."""

    def __init__(self, settings: Serve) -> None:
        settings.refuse_open()
        limits = fitted(settings.limits)
        self.less = told(settings.limits, limits)
        """What is to be said where there are too few file descriptors for the limits of the settings."""

        self.settings = replace(settings, limits=limits)
        """Those of the server, with limits that the process can hold."""

        self.socket = _bound(settings)
        self.port: int = self.socket.getsockname()[1]

    @property
    def url(self) -> str:
        """Address of the server, from here or as the settings say."""
        host = self.settings.host
        host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
        name = f"[{host}]" if ":" in host else host
        return self.settings.url or f"{'https' if self.settings.tls else 'http'}://{name}:{self.port}"

    def close(self) -> None:
        """Let the address go."""
        self.socket.close()


@dataclass(frozen=True)
class ServedApp:
    """Served application: one that a server answers for."""

    answering: Serving
    topology: Sequence[SubTopology] = ()
    families: Callable[[], Sequence[MetricFamily]] = tuple
    """The numbers of the application, where it runs in this process."""

    history: History | None = None
    """What it has done over time, where it runs in this process."""


class QueryServer:
    """Answers for applications at an address until it is closed."""

    def __init__(self, served: Sequence[ServedApp], settings: Serve, listener: Listener | None = None) -> None:
        self._listener = listener or Listener(settings)
        settings = self._listener.settings
        self._gate, self._room = Gate(settings, self._listener.url), Room(settings.limits)
        self._applications = Applications(map(self._watchers, served), secured=not self._gate.open)
        self._web = Web(self._applications, self._room.turns, self._gate, settings)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what is wrong with a request is for its sender
        config = uvicorn.Config(
            self._web,
            http=guarded(settings.limits, self._web.at_once),
            ws=Socket,
            ws_per_message_deflate=False,
            loop="uvloop",
            lifespan="on",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=_SHUTDOWN_S,
            ws_max_size=_SMALL_MESSAGE,
            **check_tls(settings),
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="headrace-rest", daemon=True)

    @property
    def url(self) -> str:
        """Address of the server."""
        return self._listener.url

    def start(self) -> None:
        """Begin to answer; returns when it does."""
        self._thread.start()
        atexit.register(self.close)  # a program that just ends must not tear down the loop while it runs
        while not self._server.started and self._thread.is_alive():
            self._thread.join(0.005)

    def add(self, served: ServedApp) -> None:
        """Answer for one more application, while others are answered for."""
        self._applications.add(self._watchers(served))

    def remove(self, app: str) -> None:
        """Answer for that application no more."""
        gone = self._applications.remove(app)
        self._web.leave(gone)
        gone.service.close()

    def close(self) -> None:
        """End what is still asked, and the thread. Safe to call twice."""
        atexit.unregister(self.close)
        self._web.end_watchers()
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)
        self._listener.close()
        for service in self._applications.services:
            service.close()
        self._gate.close()

    def _watchers(self, served: ServedApp) -> Watchers:
        settings = self._listener.settings
        service = Service(served.answering, settings.limits, served.topology, served.families, served.history)
        return Watchers(service, PeerWatches(settings, service.app), self._gate.may_still_read, self._room)

    def _serve(self) -> None:
        self._server.run(sockets=[self._listener.socket])


def _bound(settings: Serve) -> socket.socket:
    """A socket at the address; if it is the usual one and taken, at the next port that is free."""
    more = _NEXT_PORTS if settings.address == USUAL_ADDRESS else 1
    for port in range(settings.port, settings.port + more):
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((settings.host, port))
            bound.listen(_BACKLOG)  # now, for on some systems two can be bound that do not listen yet
        except OSError as exc:
            bound.close()
            if exc.errno == errno.EADDRINUSE and port < settings.port + more - 1:
                continue
            raise ListenRefused(settings.address, os.strerror(exc.errno) if exc.errno else str(exc)) from None
        bound.setblocking(False)
        return bound
    raise AssertionError


def check_tls(settings: Serve) -> dict[str, Any]:
    """TLS context of the server, if its files can be used."""
    if settings.certificate is None:
        return {}
    certificate, key = str(settings.certificate), str(settings.key or settings.certificate)
    for path in (certificate, key):
        if not Path(path).is_file():
            raise CertificateUnreadable(path, "there is no such file")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as exc:
        raise CertificateUnreadable(certificate, getattr(exc, "reason", None) or str(exc)) from None
    return {"ssl_certfile": certificate, "ssl_keyfile": key}
