"""A wrong application file: each time a sentence that says what to do."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from click import Command
from click.testing import CliRunner

from headrace.cli.adopt import adopt
from headrace.cli.app import describe
from headrace.cli.diff import diff
from headrace.cli.load import load_app
from headrace.cli.rescale import rescale
from headrace.errors import AppNotFound, CommandWithoutCheckpoint

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


SPAWNING = """
from dataclasses import dataclass
import headrace as hr
from beside_total import doubled

@dataclass
class Total:
    amount: int

def twice(total: Total) -> Total:
    return Total(doubled(total.amount))

app = hr.App("good")
"""


def test_what_a_program_declares_is_found_by_other_processes(file: Path) -> None:
    """Those that are started anew, and not by a copy of this one; a program that was changed is loaded anew."""
    (file.parent / "beside_total.py").write_text("def doubled(number):\n    return 2 * number\n")
    for renamed in ("Total", "Sum"):
        file.write_text(SPAWNING.replace("Total", renamed))
        load_app(str(file))
        program = sys.modules["shop"]
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
            total = processes.submit(program.twice, getattr(program, renamed)(21)).result(timeout=60)
        assert total == getattr(program, renamed)(42)


def test_a_program_in_a_package_is_called_as_one_imports_it(tmp_path: Path) -> None:
    package = tmp_path / "stores_of_load"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "names.py").write_text("NAME = 'packed'\n")
    (package / "main.py").write_text("import headrace as hr\nfrom .names import NAME\napp = hr.App(NAME)\n")
    assert load_app(str(package / "main.py")).id == "packed"
    assert "stores_of_load.main" in sys.modules
    assert load_app(f"{package / 'main.py'}:app").id == "packed"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("shop.v2.py", "Python cannot import a file of this name\n  to do: rename it, such as shop_v2.py"),
        ("shop", "Python cannot import a file of this name\n  to do: rename it, such as shop.py"),
        ("json.py", "another module is called json: "),
        ("click.py", "another module is called click: "),
        ("sys.py", "another module is called sys: "),
    ],
)
def test_names_by_which_no_other_process_would_find_a_program(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / name).write_text(GOOD.format(name="app"))
    with pytest.raises(AppNotFound) as caught:
        load_app(str(tmp_path / name))
    assert f"no application in {tmp_path / name}: {reason}" in str(caught.value)
    assert str(tmp_path) not in sys.path


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


@pytest.mark.parametrize("command", [rescale, diff, adopt])
def test_commands_for_checkpoints_are_refused_where_there_is_none(command: Command, file: Path) -> None:
    file.write_text('import headrace as hr\napp = hr.App("small", engine="python")\napp.stream("a").to("b")\n')
    with pytest.raises(CommandWithoutCheckpoint, match=f"headrace {command.name} works on checkpoints of Spark"):
        CliRunner().invoke(command, [str(file)], catch_exceptions=False)
