"""Servers in front of real replicas on a real broker: whichever is asked or watched tells the whole store."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import headrace as hr
from headrace.query.service.instance import Instance
from headrace.rest.client.client import RemoteStore
from headrace.rest.client.peers import HttpPeers
from headrace.rest.server.running import Listener, QueryServer, ServedApp
from headrace.rest.server.settings import Serve
from query.application import Application, until

pytestmark = pytest.mark.spark

WORDS = [f"word-{number}" for number in range(100)]


@contextmanager
def served(app: Application, name: str, directory: Path) -> Iterator[tuple[Instance, str]]:
    """An instance of this name, and the address of its server."""
    settings = Serve(address="127.0.0.1:0")
    listener, peers = Listener(settings), HttpPeers(settings, app.id)
    (directory / name).mkdir(parents=True, exist_ok=True)
    (directory / name / "name").write_text(name)
    with app.instance(directory / name, url=listener.url, peers=peers) as instance:
        server = QueryServer([ServedApp(instance)], settings, listener)
        server.start()
        try:
            yield instance, listener.url
        finally:
            server.close()
            peers.close()


@dataclass
class Table:
    """What somebody has who watches."""

    rows: dict[str, int | None] = field(default_factory=dict)

    def follow(self, store: RemoteStore) -> None:
        for change in store.watch():
            self.rows[change.key] = change.value
            if change.key == "end":
                return


def known(instance: Instance) -> set[int]:
    """The partitions for which an instance knows somebody who answers."""
    return {share.partition for member in instance.members() for share in member.shares if share.ready}


def holds(instance: Instance) -> set[int]:
    return {share.partition for share in instance.me().shares if share.ready}


def test_whoever_watches_sees_all_whichever_instance_holds_it(broker: str, tmp_path: Path) -> None:
    app = Application(broker)
    app.store("counts", hr.STRING, hr.INT64)
    app.batch({"counts": [(word, 1) for word in WORDS]})
    with ExitStack() as up, served(app, "ann", tmp_path) as (ann, at_ann):
        bob, at_bob = up.enter_context(served(app, "bob", tmp_path))
        until(lambda: holds(ann) and holds(bob) and holds(ann) != holds(bob))
        until(lambda: all(known(one) == {0, 1, 2, 3} for one in (ann, bob)))
        tables = {url: Table() for url in (at_ann, at_bob)}
        with hr.connect(at_ann) as first, hr.connect(at_bob) as second:
            for connection in (first, second):
                assert connection.store("counts").all() == dict.fromkeys(sorted(WORDS), 1)
            following = [
                threading.Thread(target=tables[url].follow, args=(connection.store("counts"),), daemon=True)
                for url, connection in ((at_ann, first), (at_bob, second))
            ]
            for thread in following:
                thread.start()
            for table in tables.values():
                until(lambda table=table: table.rows == dict.fromkeys(WORDS, 1))  # type: ignore[misc]
            position = app.batch({"counts": [(word, 2) for word in WORDS[:50]] + [(WORDS[99], None)]})
            assert first.store("counts").at_least(position).get(WORDS[0]) == 2
            expected = dict.fromkeys(WORDS, 1) | dict.fromkeys(WORDS[:50], 2) | {WORDS[99]: None}
            for table in tables.values():
                until(lambda table=table: table.rows == expected)  # type: ignore[misc]
            up.close()  # bob goes; what he held is told by ann, to her own watcher at least
            app.batch({"counts": [(word, 3) for word in WORDS]})
            until(lambda: tables[at_ann].rows == dict.fromkeys(WORDS, 3), 60)
            assert first.store("counts").count() == 100
            app.batch({"counts": [("end", 0)]})
            following[0].join(20)


def test_over_the_wire_nothing_but_json(broker: str, tmp_path: Path) -> None:
    app = Application(broker, partitions=1)
    app.store("sums", hr.time_windowed(hr.STRING, "10s"), hr.DOUBLE)
    app.batch({"sums": [(hr.Windowed("ann", 0, 10_000), float("nan")), (hr.Windowed("ann", 10_000, 20_000), 1.5)]})
    with served(app, "cyd", tmp_path) as (instance, url):
        until(lambda: instance.ready)
        with hr.connect(url) as connection:
            sums = connection.store("sums")
            assert json.dumps(list(sums.fetch("ann", 1).values())) == "[1.5]"
            assert str(sums.get(hr.Windowed("ann", 0, 10_000))) == "nan"
            assert sums.holders(hr.Windowed("ann", 0, 10_000))[0].name == "cyd"
            assert next(sums.watch("ann")).key == hr.Windowed("ann", 0, 10_000)
