"""Who may import whom: the picture of the architecture, held true."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import headrace

PACKAGE = Path(headrace.__file__).parent

# Downwards, or rightwards in a row, never across a bar.
PICTURE = """
cli  console  |  testing
connect  runtime  rest  query  observe
engine
lane
task  |  spark
dsl  |  sql
build  processor  |  passes
plan
functions
expr  serde  registry  state  log  jvm
types  model
errors
"""
ROWS = [[group.split() for group in row.split("|")] for row in PICTURE.strip().splitlines()]

# Folders and files that may import a library; everyone else may not.
HOMES = {
    "pyspark": {"spark"},
    "py4j": {"spark"},
    "confluent_kafka": {"log"},
    "click": {"cli"},
    "rich": {"cli", "jvm/progress.py"},
    "pytest": {"testing/plugin.py"},
    "pyarrow": {"task/arrow.py"},
    "cloudpickle": {"lane", "spark"},
    "rocksdict": {"query"},
    "starlette": {"rest"},
    "uvicorn": {"rest"},
    "httptools": {"rest"},
    "httpx": {"rest"},
}
EXCEPTIONS = {
    ("spark/compile/python_spec.py", "lane"),  # what Python processes are told
    ("spark/compile/prefetch.py", "lane"),
    ("cli/main.py", "__version__"),  # of the front door
    ("rest/server/openapi.py", "__version__"),
}


def modules() -> Iterator[tuple[Path, set[str]]]:
    """Every file of the package but the front door, and the modules it imports anywhere in it."""
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if relative not in (Path("__init__.py"), Path("front.py")):
            yield relative, set(imported(ast.parse(path.read_text())))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports say the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def folder(relative: Path) -> str:
    return relative.parts[0].removesuffix(".py")


def allowed(importer: str, wanted: str) -> bool:
    for row in ROWS:
        for group in row:
            if importer not in group:
                continue
            to_the_right = group[group.index(importer) :]
            below = ROWS[ROWS.index(row) + 1 :]
            return wanted in to_the_right or any(wanted in names for lower in below for names in lower)
    raise AssertionError(f"{importer} is not in the picture")


def test_folders_import_downwards_or_rightwards() -> None:
    wrong = [
        f"{relative} imports headrace.{wanted}"
        for relative, names in modules()
        for wanted in sorted({name.split(".")[1] for name in names if name.startswith("headrace.")})
        if not allowed(folder(relative), wanted) and (relative.as_posix(), wanted) not in EXCEPTIONS
    ]
    assert wrong == []


def test_libraries_are_imported_in_their_homes_alone() -> None:
    wrong = [
        f"{relative} imports {library}"
        for relative, names in modules()
        for library in sorted({name.split(".")[0] for name in names} & set(HOMES))
        if not {folder(relative), relative.as_posix()} & HOMES[library]
    ]
    assert wrong == []


def test_the_front_door_loads_no_spark() -> None:
    used = "import sys, headrace; headrace.App; headrace.testing.TopologyTestDriver"
    loaded = f"{used}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.split()
    assert "headrace" in found
    assert not {
        "pyspark",
        "py4j",
        "confluent_kafka",
        "pandas",
        "pyarrow",
        "rich",
        "pytest",
        "starlette",
        "uvicorn",
        "httpx",
        "rocksdict",
    } & set(found)


def test_the_plugin_of_pytest_loads_no_more_than_its_fixture() -> None:
    loaded = (
        "import sys, headrace.testing.plugin; print(*(name for name in sys.modules if name.startswith('headrace')))"
    )
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.split()
    assert found == ["headrace", "headrace.testing", "headrace.testing.plugin"]


def test_the_front_door_has_what_it_lists() -> None:
    assert "App" in dir(headrace)
    assert all(getattr(headrace, name) is not None for name in dir(headrace))
