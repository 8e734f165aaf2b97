"""An instance in a process of its own, and a plain way to it: what is asked goes over a socket.

The way between instances that users have is HTTP, of which the instances know nothing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from headrace.errors import HeadraceError, PeerUnreachable
from headrace.query.catalogue import Queryable
from headrace.query.requests import Question, Reply
from headrace.query.service.instance import Instance
from headrace.serde import INT64, STRING


class Peers:
    """Asks the instance that listens at an address."""

    def ask(self, url: str, question: Question, partitions: Collection[int]) -> Reply:
        host, port = url.split(":")
        try:
            with Client((host, int(port))) as connection:
                connection.send(("local", question, partitions))
                return _received(connection)
        except (OSError, EOFError) as exc:
            raise PeerUnreachable(url, str(exc)) from exc


def ask_any(url: str, question: Question) -> Reply:
    """Ask as a program would: whoever listens there knows whom to ask."""
    host, port = url.split(":")
    with Client((host, int(port))) as connection:
        connection.send(("answer", question, ()))
        return _received(connection)


def _received(connection: Connection) -> Reply:
    kind, *told = connection.recv()
    if kind == "reply":
        reply: Reply = told[0]
        return reply
    # Errors do not travel as they are: their arguments are not their words.
    error = HeadraceError.__new__(told[0])
    Exception.__init__(error, told[1])
    raise error


def serve(listener: Listener, instance: Instance) -> None:
    """Answer everyone who comes."""

    def answer(connection: Connection) -> None:
        with connection:
            way, question, partitions = connection.recv()
            try:
                reply = instance.local(question, partitions) if way == "local" else instance.answer(question)
                connection.send(("reply", reply))
            except HeadraceError as error:
                connection.send(("error", type(error), str(error)))

    while True:
        threading.Thread(target=answer, args=(listener.accept(),), daemon=True).start()


def main(app: str, broker: str, directory: str, standbys: str) -> None:
    """Serve the store `counts` until killed."""
    listener = Listener(("127.0.0.1", 0))
    url = "{}:{}".format(*listener.address)
    stores = {"counts": Queryable("counts", f"{app}-counts-changelog", STRING, INT64, None)}
    instance = Instance(
        app, stores, broker, None, Path(directory), url=url, peers=Peers(), standbys=int(standbys), say=print
    )
    instance.start()
    print(url, flush=True)
    serve(listener, instance)


if __name__ == "__main__":
    main(*sys.argv[1:])
