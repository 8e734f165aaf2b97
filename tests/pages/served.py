"""A query server as users have it, with changelogs that a test writes in the application's stead."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import headrace as hr
from headrace.cli.demos.music_charts import Chart, Counted
from headrace.log.records import NewRecord, produce
from headrace.log.topics import Topics
from headrace.observe.history import History
from headrace.passes.pipeline import rewrite
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.query.catalogue import Queryable
from headrace.query.service.instance import Instance
from headrace.rest.server.running import Listener, QueryServer, ServedApp
from headrace.rest.server.settings import Serve
from headrace.serde import Serde

PAGES = Path(hr.__file__).parent / "cli" / "demos" / "pages"
STORES: Mapping[str, tuple[Serde[Any], Serde[Any]]] = {
    "charts": (hr.STRING, hr.json(Chart)),
    "song-plays": (hr.INT64, hr.json(Counted)),
    "counts": (hr.STRING, hr.INT64),
    "numbers": (hr.INT64, hr.STRING),
    "clicks": (hr.time_windowed(hr.STRING, "10s"), hr.INT64),
}


class Served:
    """An instance with a server in front of it, that can be ended and started again at the same address."""

    def __init__(self, app: str, broker: str, directory: Path) -> None:
        self._app, self._broker, self._directory = app, broker, directory
        self._stores = {
            name: Queryable(name, f"{app}-{name}-changelog", key, value, None) for name, (key, value) in STORES.items()
        }
        for store in self._stores.values():
            Topics(broker).create(store.topic, 2)
        self._address = "127.0.0.1:0"
        self._held = ExitStack()
        self.history = History()
        self.start()

    def start(self) -> None:
        settings = Serve(address=self._address, pages=PAGES)
        listener = Listener(settings)
        self.url, self._address = listener.url, f"127.0.0.1:{listener.port}"
        instance = Instance(self._app, self._stores, self._broker, None, self._directory, url=self.url)
        self._held.callback(instance.close)
        topology = split_subtopologies(rewrite(self._topology().plan()))
        self._server = QueryServer([ServedApp(instance, topology, history=self.history)], settings, listener)
        self._held.callback(self._server.close)
        instance.start()
        self._server.start()

    def join(self, app: str) -> None:
        """Serve another application at the same address, with the same stores."""
        instance = Instance(app, self._stores, self._broker, None, self._directory.with_name(app), url=self.url)
        self._held.callback(instance.close)
        self._server.add(ServedApp(instance))
        instance.start()

    def _topology(self) -> hr.App:
        """More operators in a row than a page is wide, each behind the last."""
        app = hr.App(self._app)
        plays = app.stream("plays", value=hr.STRING)
        for _ in range(8):
            plays = plays.map_values(lambda value: value.strip())
        plays.group_by(lambda _, value: value).count(store="counts").to_stream().to("counted")
        return app

    def close(self) -> None:
        self._held.close()

    def begin_anew(self) -> None:
        """The changelogs are deleted and made again, as by a reset."""
        topics, names = Topics(self._broker), [store.topic for store in self._stores.values()]
        topics.delete(names)
        for name in names:
            topics.create(name, 2)

    def put(self, store: str, rows: Mapping[Any, Any]) -> None:
        """Write rows to the changelog of a store; None deletes."""
        about = self._stores[store]
        records = [
            NewRecord(key=about.key.encode(key), value=None if value is None else about.value.encode(value))
            for key, value in rows.items()
        ]
        produce(self._broker, None, about.topic, records)
