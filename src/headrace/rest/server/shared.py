"""The servers of this process: applications that are served at one address share one."""

from __future__ import annotations

import threading
from dataclasses import replace

from headrace.rest.server.running import Listener, QueryServer, ServedApp
from headrace.rest.server.settings import Serve


class SharedServer:
    """A server at an address that is taken at once; it answers from the first application on that is served."""

    def __init__(self, settings: Serve) -> None:
        self.listener = Listener(settings)
        self.joined: set[str] = set()
        """The applications that it is for, answered for or not yet."""

        self._served: set[str] = set()
        self._server: QueryServer | None = None

    def serve(self, served: ServedApp) -> None:
        """Answer for an application that has joined; returns when it does."""
        with _TURN:
            self._served.add(served.answering.app)
            if self._server is not None:
                self._server.add(served)
            else:
                self._server = QueryServer([served], self.listener.settings, self.listener)
                self._server.start()

    def leave(self, app: str) -> None:
        """Answer for an application no more; the last one lets the address go. Safe to call twice."""
        with _TURN:
            if app not in self.joined:
                return
            self.joined.remove(app)
            if not self.joined:
                _SERVERS.pop(self, None)
                if self._server is not None:
                    self._server.close()
                self.listener.close()
            elif self._server is not None and app in self._served:
                self._served.remove(app)
                self._server.remove(app)


_SERVERS: dict[SharedServer, Serve] = {}
"""An address can be taken once in a process: applications that know nothing of each other find their server here."""

_TURN = threading.Lock()


def join(app: str, settings: Serve) -> SharedServer:
    """The server for an application: the one that others are served by with the same settings, else one of its own.

    Where any port will do, nobody has asked for the same one.
    """
    wanted = replace(settings, directory=None, standbys=0)  # which are about replicas
    with _TURN:
        alike = (one for one, there in _SERVERS.items() if there == wanted and app not in one.joined)
        server = next(alike, None) if settings.port else None
        if server is None:
            server = SharedServer(settings)
            _SERVERS[server] = wanted
        server.joined.add(app)
        return server
