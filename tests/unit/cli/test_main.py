"""The `headrace` command itself: help, errors, interruptions."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from headrace import __version__
from headrace.cli import main as cli_main
from headrace.cli.main import main
from headrace.errors import HeadraceError, PortInUse


def fail_with(error: BaseException) -> click.Command:
    @click.command()
    def failing() -> None:
        raise error

    return failing


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Lets a test put its own command in the place of `headrace fail`."""
    monkeypatch.setitem(cli_main._COMMANDS, "fail", (f"{__name__}:command", "Fails."))
    return monkeypatch


def put(failing: pytest.MonkeyPatch, error: BaseException) -> None:
    failing.setattr(sys.modules[__name__], "command", fail_with(error), raising=False)


def test_help_loads_no_kafka_client_and_no_spark() -> None:
    code = (
        "import sys; from headrace.cli.main import main; main(['--help']);"
        "print([name for name in ('confluent_kafka', 'pyspark', 'rich') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("[]\n")
    assert "Start, stop and look at the embedded Kafka broker." in ended.stdout


@pytest.mark.parametrize("command", sorted(cli_main._COMMANDS))
def test_every_command_in_the_table_is_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"Usage: headrace {command}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"headrace {__version__}\n"


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    assert "No such command 'frobnicate'" in capsys.readouterr().err


def test_an_error_is_told_in_words(failing: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    put(failing, HeadraceError("it broke", where="shop.py:42", fix="mend it"))
    assert main(["fail"]) == 1
    assert capsys.readouterr() == ("", "error: it broke\n  at: shop.py:42\n  to do: mend it\n")


def test_verbose_shows_the_traceback_too(failing: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    put(failing, PortInUse(9092))
    assert main(["-v", "fail"]) == 1
    told = capsys.readouterr().err
    assert "Traceback (most recent call last)" in told
    assert "error: port 9092 is in use by another program\n  to do: name another with --port" in told


def test_ctrl_c_is_calm(failing: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    put(failing, KeyboardInterrupt())
    assert main(["fail"]) == 130
    assert capsys.readouterr().err.strip() == "stopped"


def test_a_mistake_of_ours_keeps_its_traceback(failing: pytest.MonkeyPatch) -> None:
    put(failing, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        main(["fail"])
