"""When an instance says that all it is to hold can be asked."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from headrace.query.catalogue import Queryable
from headrace.query.store import Store
from headrace.serde import INT64, STRING
from query.application import Application, until

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:1"])
def test_not_before_the_application_has_made_its_changelogs(broker: str, tmp_path: Path, url: str) -> None:
    app, said = Application(broker), list[str]()
    for name in ("counts", "never"):
        app.stores[name] = Queryable(name, f"{app.id}-{name}-changelog", STRING, INT64, None)
    with app.instance(tmp_path, url=url, say=said.append) as instance:
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert not instance.ready
            time.sleep(0.05)
        assert said.count(f"queries: {app.id} has no changelogs yet: they are made when it starts") == 1
        app.store("counts", STRING, INT64)
        app.batch({"counts": [("a", 1)]})
        until(lambda: instance.ready)
        assert Store(instance, "counts").get("a") == 1  # a store that never gets one holds up no other


def test_not_while_changelogs_are_made_again(broker: str, tmp_path: Path) -> None:
    app = Application(broker)
    app.store("counts", STRING, INT64)
    with app.ready(tmp_path) as instance:
        app._topics.delete([app.stores["counts"].topic])
        until(lambda: not instance.ready)
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert not instance.ready
            time.sleep(0.05)


def test_one_that_is_to_hold_nothing_is(broker: str, tmp_path: Path) -> None:
    app = Application(broker, partitions=1)
    app.store("counts", STRING, INT64)
    with (
        app.ready(tmp_path / "a", url="http://127.0.0.1:1") as first,
        app.ready(tmp_path / "b", url="http://127.0.0.1:2") as second,
    ):
        until(lambda: first.ready and second.ready and len(first.me().shares) + len(second.me().shares) == 1)
        assert first.ready
        assert second.ready
