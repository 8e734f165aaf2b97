"""The embedded broker's directory and settings, without starting it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from headrace.errors import (
    BrokerBusy,
    BrokerDirUnusable,
    BrokerRunning,
    BrokerStartFailed,
    BrokerUnreachable,
    PortInUse,
    TopicMissing,
)
from headrace.log.broker import EmbeddedBroker
from headrace.log.broker_config import logging_config, new_cluster_id, server_properties
from headrace.log.broker_dir import BrokerDir, BrokerState
from headrace.log.properties import parse


def test_the_directory_is_for_its_owner_only(tmp_path: Path) -> None:
    directory = BrokerDir(tmp_path / "deep" / "broker")
    directory.prepare()
    for path in (directory.path, directory.data, directory.log.parent):
        assert path.stat().st_mode & 0o777 == 0o700


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    file = tmp_path / "broker"
    file.write_text("")
    fix = "to do: make room or give the right to write there, or name another directory in HEADRACE_BROKER_DIR"
    for path, reason in ((file, "there is a file of this name"), (file / "deeper", "Not a directory")):
        with pytest.raises(BrokerDirUnusable) as unusable:
            EmbeddedBroker(path).join()
        assert str(unusable.value) == (
            f"the embedded broker's directory cannot be used: {reason}\n  at: {path}\n  {fix}"
        )


def test_a_directory_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)  # root, whom tests may run as, is never refused
    with pytest.raises(BrokerDirUnusable, match="directory cannot be used: Permission denied\n  at: /"):
        BrokerDir(tmp_path / "broker").prepare()


def test_state_is_read_back_and_half_of_one_is_no_state(tmp_path: Path) -> None:
    directory = BrokerDir(tmp_path)
    assert directory.read_state() is None
    state = BrokerState(pid=1, java_pid=2, port=3, since_ms=4, ready=True)
    directory.write_state(state)
    assert directory.read_state() == state
    (tmp_path / "broker.json").write_text(json.dumps({"pid": 1}))
    assert directory.read_state() is None
    (tmp_path / "broker.json").write_text('{"pid": 1')
    assert directory.read_state() is None


def test_the_broker_listens_to_this_machine_only(tmp_path: Path) -> None:
    settings = parse(server_properties(BrokerDir(tmp_path), 1234, 5678))
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:1234,CONTROLLER://127.0.0.1:5678"
    assert settings["auto.create.topics.enable"] == "false"
    assert settings["log.dirs"] == str(tmp_path / "data")


def test_a_path_of_any_alphabet_is_written_in_ascii() -> None:
    text = server_properties(BrokerDir(Path("/home/zoë\\𝄞")), 1, 2)
    assert "log.dirs=/home/zo\\u00eb\\\\\\ud834\\udd1e/data\n" in text


def test_the_logging_settings_are_xml_whatever_the_directory_is_called(tmp_path: Path) -> None:
    directory = BrokerDir(tmp_path / "a & b\"<c>'")
    appender = ElementTree.fromstring(logging_config(directory)).find("Appenders/RollingFile")
    assert appender is not None
    assert appender.get("fileName") == str(directory.log)


def test_cluster_ids_are_22_characters_and_differ() -> None:
    made = {new_cluster_id() for _ in range(200)}
    assert len(made) == 200
    assert all(len(one) == 22 and not one.startswith("-") for one in made)


def test_a_broker_that_never_ran_has_a_status_and_no_directory(tmp_path: Path) -> None:
    status = EmbeddedBroker(tmp_path / "broker").status()
    assert (status.running, status.address, status.pid, status.kept, status.in_use) == (False, None, None, False, False)
    assert not (tmp_path / "broker").exists()


def test_the_directory_can_be_named_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_BROKER_DIR", str(tmp_path / "here"))
    assert EmbeddedBroker().status().directory == tmp_path / "here"
    monkeypatch.delenv("HEADRACE_BROKER_DIR")
    monkeypatch.setenv("HEADRACE_DATA_DIR", str(tmp_path / "data"))
    assert EmbeddedBroker().status().directory == tmp_path / "data" / "broker"


def test_words() -> None:
    assert str(BrokerUnreachable("host:9092", 8, "refused")).startswith(
        "no Kafka broker answered at host:9092 within 8 s: refused\n  to do: check the address"
    )
    assert str(BrokerStartFailed("it died", "/log", ["one", "two"])) == (
        "the embedded broker did not start: it died\n    one\n    two\n  at: /log"
    )
    assert "port 9092 is in use by another program" in str(PortInUse(9092))
    assert "runs already, at 127.0.0.1:1" in str(BrokerRunning("127.0.0.1:1"))
    assert "headrace broker stop" in str(BrokerRunning("127.0.0.1:1"))
    assert "cannot be used now: somebody stops it" in str(BrokerBusy("/dir", "somebody stops it"))
    assert str(TopicMissing(["a", "b"], "host:1", 2)) == (
        "no topic 'a', 'b' on host:1\n  to do: headrace topics create a --partitions 2 --broker host:1"
        " && headrace topics create b --partitions 2 --broker host:1"
    )
    assert str(TopicMissing(["a"], "host:1", embedded=True)) == (
        "no topic 'a' on the embedded broker\n  to do: headrace topics create a --partitions 4"
    )
