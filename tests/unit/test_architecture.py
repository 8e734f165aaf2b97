"""The page of the architecture says where things are: its files and names exist, and its lists are the whole road."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

import headrace as hr
from exercises.change import ROOT, Copy

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGE = ROOT / "src" / "headrace"
FILE = re.compile(r"`([\w./]+\.(?:py|scala|diff|md))`(?: `(\w+)`)?")
ROWS = re.compile(r"^\| (.+?) \|", re.MULTILINE)


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def steps(title: str) -> list[str]:
    """The files of a numbered list, one a step."""
    found = re.findall(r"^\d+\. `([^`]+)`", section(title), re.MULTILINE)
    assert found, title
    return found


def path_of(name: str) -> Path:
    return ROOT / name if name.startswith(("kernel/", "tests/", "docs/")) else PACKAGE / name


def test_every_file_and_every_name_is_there() -> None:
    named = [(name, symbol) for name, symbol in FILE.findall(PAGE) if "NAME" not in name]
    assert [name for name, _ in named if not path_of(name).is_file()] == []
    assert [f"{name} {symbol}" for name, symbol in named if symbol and not defines(path_of(name), symbol)] == []


def defines(path: Path, symbol: str) -> bool:
    return re.search(rf"\b(?:def|class|object|trait) {symbol}\b", path.read_text()) is not None


def test_every_folder_has_its_room() -> None:
    rooms = {room for row in ROWS.findall(section("The rooms")) for room in re.findall(r"`([\w/]+)/`", row)}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    folders = packages | {f"kernel/{path.name}" for path in (ROOT / "kernel").iterdir() if path.is_dir()}
    assert sorted(folders - rooms) == []


def test_a_record_takes_the_road_through_the_driver() -> None:
    app = hr.App("road")
    words = app.stream("words", key=hr.STRING, value=hr.STRING).map_values(lambda word: word.upper())
    words.group_by_key().count(store="counts").to_stream().to("counts", value=hr.INT64)
    passed: dict[str, None] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            passed.setdefault(path.relative_to(PACKAGE).as_posix())

    with hr.testing.TopologyTestDriver(app) as driver:
        topic = driver.input("words")
        sys.setprofile(look)
        try:
            topic.pipe("to", key="be")
        finally:
            sys.setprofile(None)
        assert driver.output("counts").read_all() == [("be", 1)]
    rooms = ("task/", "testing/")
    assert [path for path in passed if path.startswith(rooms)] == steps("The road of a record in the test driver")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def wanted(title: str, **names: str) -> set[str]:
    """The files of a change, with the names of the exercise, from the top of the repository."""
    return {
        path_of(re.sub(r"NAME(?=\w*\.scala)", names["scala"], step).replace("NAME", names["python"]))
        .relative_to(ROOT)
        .as_posix()
        for step in steps(title)
    }


def test_a_new_operator_touches_the_files_of_its_road(copy: Copy) -> None:
    assert set(copy.apply("sample.diff")) == wanted("The road of a new operator", python="sample", scala="Sample")
    checks = ("test_complete", "test_declared_state", "test_kernel_packages", "test_reference")
    told = copy.run(
        *("-m", "pytest", "-q", "-m", "not spark", "-p", "no:cacheprovider"),
        *(f"tests/unit/{name}.py" for name in checks),
        *("tests/conformance/test_cases.py", "-k", " or ".join((*checks, "every-second-record"))),
    )
    assert re.search(r"\d+ passed", told)
    assert "failed" not in told


def test_a_new_format_touches_the_files_of_its_road(copy: Copy) -> None:
    pairs = ROOT / "tests" / "formats" / "pairs"
    touched = {
        copy.add(
            pairs / "__init__.py", "src/headrace/serde/pairs/__init__.py", "headrace_formats.PairsCodec", "PairsCodec"
        ),
        copy.add(pairs / "PairsCodec.scala", "kernel/formats/PairsCodec.scala", "headrace_formats", "headrace.formats"),
        *copy.apply("pairs.diff"),
    }
    assert touched == wanted("The road of a new format", python="pairs", scala="Pairs")
    assert copy.run("-c", READ_PAIRS).splitlines() == ["PairsCodec", "a=1&b=3"]
    assert re.search(r"\d+ passed", copy.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *KERNEL_TESTS))


READ_PAIRS = """
import headrace as hr
from headrace.serde.formats import FORMATS

app = hr.App("pairs")
pairs = FORMATS["pairs"]
app.stream("in", key=hr.STRING, value=pairs).map_values(lambda pair: {"a": pair["a"], "b": "3"}).to("out", value=pairs)
driver = hr.testing.TopologyTestDriver(app)
driver.input("in", value=hr.STRING).pipe("b=2&a=1", key="k")
print(pairs.facts.kernel.codec, driver.output("out", value=hr.STRING).read()[1], sep="\\n")
"""
KERNEL_TESTS = ("tests/unit/test_kernel_packages.py",)
