"""`headrace acls` prints what is needed, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headrace.cli.main import main

SHOP = """
import headrace as hr
app = hr.App("shop", {options})
app.stream("orders").to({to})
"""


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No broker by habit."""
    monkeypatch.delenv("HEADRACE_BROKER", raising=False)


def printed(place: Path, capsys: pytest.CaptureFixture[str], *words: str, options: str = "", to: str = '"out"') -> str:
    file = place / "shop.py"
    file.write_text(SHOP.format(options=options, to=to))
    assert main(["acls", str(file), *words]) == 0
    return capsys.readouterr().out


def test_commands_of_kafkas_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin = "kafka-acls.sh --bootstrap-server kafka-1:9092 --add --allow-principal User:ann"
    assert printed(tmp_path, capsys, "--principal", "User:ann", options='broker="kafka-1:9092"').splitlines() == [
        f"{begin} --operation Read --topic orders",
        f"{begin} --operation Write --topic out",
        f"{begin} --operation Read --group shop",
        f"{begin} --operation Read --group shop-sink- --resource-pattern-type prefixed",
        f"{begin} --operation Write --transactional-id shop-sink- --resource-pattern-type prefixed",
    ]


def test_a_run_beside_and_an_administrators_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(tmp_path, capsys, "--as", "v2", "--command-config", "admin.properties").splitlines()
    begin = "kafka-acls.sh --bootstrap-server localhost:9092 --command-config admin.properties --add"
    assert lines[1:3] == [
        f"{begin} --allow-principal User:shop-v2 --operation Write --topic out-v2",
        f"{begin} --allow-principal User:shop-v2 --operation Read --group shop-v2",
    ]


@pytest.mark.parametrize(
    ("options", "principal"),
    [("", "User:shop"), ('kafka={"sasl.username": "${env:SHOP_USER}", "sasl.password": "${env:NONE}"}', "User:bob")],
)
def test_whom_it_is_for(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: str,
    principal: str,
) -> None:
    monkeypatch.setenv("SHOP_USER", "bob")
    assert {one["principal"] for one in json.loads(printed(tmp_path, capsys, "--json", options=options))} == {principal}


def test_a_list_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(tmp_path, capsys, "--json", options='guarantee="at_least_once"'))
    assert found == [
        {"principal": "User:shop", "operation": operation, "kind": kind, "name": name, "prefixed": False}
        for operation, kind, name in [("Read", "topic", "orders"), ("Write", "topic", "out"), ("Read", "group", "shop")]
    ]


def test_what_nobody_knows_in_advance_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "shop.py"
    file.write_text(SHOP.format(options="", to='lambda key, value: "x"'))
    assert main(["acls", str(file)]) == 0
    told = capsys.readouterr()
    assert "--operation Write --topic" not in told.out
    assert told.err.startswith("and Write on each topic that records name at ")
