"""Which broker a command speaks to."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from headrace.cli.connection import Target, broker_options


@pytest.mark.parametrize(
    ("options", "habit", "wanted"),
    [
        ([], None, Target(None, {})),
        (["--broker", "a:1"], "h:1", Target("a:1", {})),
        ([], "h:1", Target("h:1", {}, from_environment=True)),
        (["--config", "file"], None, Target("f:1", {"client.id": "me"})),
        (["--config", "file"], "h:1", Target("f:1", {"client.id": "me"})),
        (["--config", "file", "--broker", "a:1"], None, Target("a:1", {"client.id": "me"})),
        (["--config", "file", "-X", "bootstrap.servers=x:1"], None, Target("x:1", {"client.id": "me"})),
        (["-X", "metadata.broker.list=x:1"], None, Target("x:1", {})),
    ],
)
def test_the_broker_of_a_command(tmp_path: Path, options: list[str], habit: str | None, wanted: Target) -> None:
    file, got = tmp_path / "client.properties", list[Target]()
    file.write_text("bootstrap.servers=f:1\nclient.id=me\n")
    command = click.command()(broker_options(got.append))
    given = [str(file) if option == "file" else option for option in options]
    result = CliRunner().invoke(command, given, env={"HEADRACE_BROKER": habit}, standalone_mode=False)
    assert result.exception is None
    assert got == [wanted]
