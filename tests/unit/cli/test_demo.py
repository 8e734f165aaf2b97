"""The demos when something goes wrong, or somebody has seen enough. They run as a whole in tests/system."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from headrace.cli.demos import music, word_count
from headrace.cli.main import main
from headrace.errors import HeadraceError, RecordRefused
from headrace.log.records import ConsumedRecord


class FakeApp:
    """An application that starts, runs and closes without Spark, and whose stores are empty."""

    id = "fake"

    def __init__(self, checkpoint: Path) -> None:
        self.checkpoint: Any = checkpoint
        self.failure: HeadraceError | None = None
        self.said: list[str] = []
        self.watched = threading.Event()
        self.may_start = threading.Event()
        self.may_start.set()
        self.starting = threading.Event()
        self.closed = False

    def start(self) -> None:
        self.starting.set()
        self.may_start.wait(20)

    def wait(self, _timeout: float) -> bool:
        self.watched.set()
        if self.failure:
            raise self.failure
        return False

    def store(self, _name: str) -> Any:
        return SimpleNamespace(all=dict)

    def say(self, text: str) -> None:
        self.said.append(text)
        self.may_start.set()

    def close(self) -> None:
        self.closed = True


class Stage:
    """A demo without broker and Spark: records go nowhere, and none ever come."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, demo: ModuleType) -> None:
        self.demo = demo
        self.app = FakeApp(tmp_path)
        self.broker_given_back = False
        broker = SimpleNamespace(join=lambda say: self, stop=lambda: True)  # noqa: ARG005
        topics = SimpleNamespace(partitions=dict.fromkeys, create=lambda *_: None)
        monkeypatch.setattr(demo, "EmbeddedBroker", lambda *_: broker)
        monkeypatch.setattr(demo, "Topics", lambda _: topics)
        monkeypatch.setattr(demo, "produce", lambda *_: 0)
        if demo is music:
            monkeypatch.setattr(demo, "app", self.app)
        else:
            monkeypatch.setattr(demo, "word_count", self._with_checkpoint)
            monkeypatch.setattr(demo, "consume", self._silence)
            monkeypatch.setattr(demo, "_forget", lambda *_: None)

    @property
    def name(self) -> str:
        """As it is called on the command line."""
        return self.demo.__name__.rpartition(".")[2].replace("_", "-")

    address = "nowhere:1"

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.broker_given_back = True

    def given_back(self) -> bool:
        checkpoint = Path(str(self.app.checkpoint))
        return self.app.closed and self.broker_given_back and not checkpoint.exists()

    def _with_checkpoint(self, checkpoint: Path) -> FakeApp:
        self.app.checkpoint = checkpoint
        return self.app

    @staticmethod
    def _silence(*_: object, **__: object) -> Iterator[ConsumedRecord]:
        threading.Event().wait()
        yield from ()


@pytest.fixture(params=[word_count, music], ids=["word-count", "music"])
def stage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stage:
    return Stage(monkeypatch, tmp_path, request.param)


def test_a_failing_application_ends_it(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.app.failure = HeadraceError("the batch broke", fix="mend it")
    assert main(["demo", stage.name]) == 1
    assert capsys.readouterr().err == "error: the batch broke\n  to do: mend it\n"
    assert stage.given_back()


@pytest.mark.parametrize("worker", ["produce", "consume"])
def test_a_failure_of_feeding_or_following_ends_it(
    worker: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(monkeypatch, tmp_path, word_count)

    def refuse(*_: object, **__: object) -> Iterator[ConsumedRecord]:
        raise RecordRefused("lines", "no room")

    monkeypatch.setattr(word_count, worker, refuse)
    assert main(["demo", stage.name]) == 1
    assert capsys.readouterr().err == "error: a record for topic 'lines' was refused: no room\n"
    assert stage.given_back()


def press_ctrl_c_at(moment: threading.Event) -> None:
    def press() -> None:
        if moment.wait(20):
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()


def test_ctrl_c_is_calm(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    press_ctrl_c_at(stage.app.watched)
    assert main(["demo", stage.name]) == 130
    assert capsys.readouterr().err.strip() == "stopped"
    assert stage.given_back()


def test_ctrl_c_while_starting_waits_for_the_start(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.app.may_start.clear()
    press_ctrl_c_at(stage.app.starting)
    assert main(["demo", stage.name]) == 130
    assert stage.app.said == ["stopping when it has started ..."]
    assert capsys.readouterr().err.strip() == "stopped"
    assert stage.given_back()


def test_one_that_stays_ends_with_ctrl_c(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    press_ctrl_c_at(stage.app.watched)
    assert main(["demo", stage.name, "--stay"]) == 0
    assert "stopped" not in capsys.readouterr().err
    assert stage.given_back()


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    told = capsys.readouterr().out
    assert "  word-count  Count the words" in told
    assert "  music       Join plays with songs" in told


def test_a_demo_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "films"]) == 2
    assert "there is no demo 'films'; there is word-count, music" in capsys.readouterr().err


def test_staying_has_no_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "music", "--stay", "--seconds", "5"]) == 2
    assert "--seconds and --stay exclude one another" in capsys.readouterr().err
