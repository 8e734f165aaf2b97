"""A wrong application file: each time a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from headrace.cli.app import describe
from headrace.cli.load import load_app
from headrace.errors import AppNotFound

GOOD = 'import headrace as hr\n{name} = hr.App("good")\n{name}.stream("a").to("b")\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shop.py"


def test_the_application_is_called_app_or_named(file: Path) -> None:
    file.write_text(GOOD.format(name="app"))
    assert load_app(str(file)).id == "good"
    file.write_text(GOOD.format(name="orders"))
    assert load_app(f"{file}:orders").id == "good"


def test_what_stands_beside_the_file_can_be_imported(file: Path) -> None:
    (file.parent / "beside_shop.py").write_text(GOOD.format(name="app"))
    file.write_text("from beside_shop import app\n")
    assert load_app(str(file)).id == "good"


@pytest.mark.parametrize(
    ("content", "reason", "fix"),
    [
        ("", "nothing in it is called app", 'declare one there: app = hr.App("my-app")'),
        ("app = 3\n", "app is int, not hr.App", 'declare one there: app = hr.App("my-app")'),
        (GOOD.format(name="orders"), "nothing in it is called app", "name it: {file}:orders"),
        ("app = (\n", "'(' was never closed (line 1)", "mend the file; python itself cannot read it"),
        ("\n1 / 0\n", "ZeroDivisionError at shop.py:2: division by zero", "mend the file; --verbose shows the"),
        ("import not_there\n", "ModuleNotFoundError at shop.py:1: No module named 'not_there'", "mend the file"),
    ],
)
def test_words(file: Path, content: str, reason: str, fix: str) -> None:
    file.write_text(content)
    with pytest.raises(AppNotFound) as caught:
        load_app(str(file))
    assert str(caught.value).startswith(f"no application in {file}: {reason}\n  to do: {fix.format(file=file)}")


def test_no_such_file_or_module(tmp_path: Path) -> None:
    with pytest.raises(AppNotFound, match="there is no such file"):
        load_app(str(tmp_path / "none.py"))
    with pytest.raises(AppNotFound, match="there is no module no_such_module"):
        load_app("no_such_module:app")


def test_describe_prints_the_topology(file: Path) -> None:
    file.write_text(GOOD.format(name="app"))
    printed = CliRunner().invoke(describe, [str(file)]).output
    assert printed.startswith("application good\n\nsub-topology 0\n")
