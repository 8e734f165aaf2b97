"""Replicas when the broker is away, and when there is no room for them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headrace.errors import NobodyAnswers
from headrace.log.broker import EmbeddedBroker
from headrace.query.replica import reader, tracker
from headrace.query.service.instance import Instance
from headrace.query.store import Store
from headrace.serde import BYTES, INT64, STRING
from query.application import Application, until

pytestmark = pytest.mark.spark

_MB = 1024 * 1024


def test_without_a_broker_answers_are_stale(broker_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracker, "_PATIENCE_S", 2.0)
    embedded, said = EmbeddedBroker(broker_dir), list[str]()
    with embedded.join() as lease:
        app = Application(lease.address)
        app.store("counts", STRING, INT64)
        app.batch({"counts": [("a", 1)]})
        with app.ready(tmp_path / "replicas", say=said.append) as instance:
            counts = Store(instance, "counts")
            assert counts.get("a") == 1
            embedded.stop()
            until(lambda: refused(instance) is not None)
            assert "the broker does not answer" in str(refused(instance))
            until(lambda: any(line.startswith("queries: ") for line in said), seconds=60)
            answer = counts.stale().answers.get("a")
            assert (answer.value, answer.stale) == (1, True)
            assert counts.stale().all() == {"a": 1}
            with embedded.join():
                until(lambda: refused(instance) is None, seconds=60)
                answer = counts.answers.get("a")
                assert (answer.value, answer.stale) == (1, False)
                position = app.batch({"counts": [("a", 2)]})
                assert counts.at_least(position, "20s").get("a") == 2


def refused(instance: Instance) -> NobodyAnswers | None:
    try:
        Store(instance, "counts").get("a")
    except NobodyAnswers as error:
        return error
    return None


def test_a_full_disk_is_said_and_nothing_is_answered_from_it(
    broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_AGAIN_S", 1.0)
    app, said = Application(broker, partitions=1), list[str]()
    app.store("counts", STRING, BYTES)
    app.batch({"counts": [("a", b"1")]})
    with app.ready(tmp_path, say=said.append) as instance:
        counts = Store(instance, "counts")
        with no_file_larger_than(_MB):
            for batch in range(3):
                position = app.batch({"counts": [(f"{batch}-{n}", os.urandom(_MB // 2)) for n in range(40)]})
            until(lambda: any("is not kept up to date, and tried again" in line for line in said))
            with pytest.raises(NobodyAnswers, match="nobody answers for partition 0 of store 'counts'"):
                counts.at_least(position, "10ms").get("2-39")
        until(lambda: instance.ready)
        assert counts.at_least(position).count() == 3 * 40 + 1


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """As if the disk were full, for this process alone."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
