"""The examples of README, guide and docstrings run as they stand."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import headrace as hr

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "bench").glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [
    pytest.param(code, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL), start=1)
]
SOURCES = ROOT / "src"
MODULES = [
    ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(SOURCES.rglob("*.py"))
    # Those of spark/ would start Spark.
    if ">>>" in file.read_text("utf-8") and not file.is_relative_to(SOURCES / "headrace" / "spark")
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_example(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    example = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", example)  # dataclasses look for the module they are written in
    example.__dict__["hr"] = hr
    exec(compile(code, "example.py", "exec", dont_inherit=True), example.__dict__)
    app = example.__dict__.get("app")
    assert isinstance(app, hr.App)


@pytest.mark.parametrize("module", MODULES)
def test_docstring(module: str) -> None:
    ran = doctest.testmod(importlib.import_module(module))
    assert ran.attempted
    assert not ran.failed


def test_the_console_of_the_guide_is_the_application_speaking() -> None:
    page = (ROOT / "docs" / "guide" / "first-application.md").read_text("utf-8")
    sample = (
        page.partition("# or: python word_count.py\n```\n")[2].partition("\n\nWithout `broker=`")[0].split("\n")[1:]
    )
    assert len(sample) == 6
    said = [line.removeprefix("    word-count: ") for line in sample]
    assert all(line.startswith("    word-count: ") for line in sample)
    forms = spoken()
    assert [text for text in said if not any(form.fullmatch(text) for form in forms)] == []


def spoken() -> list[re.Pattern[str]]:
    """What an application says, by the texts in its code: anything may stand where a value is filled in."""
    folders = [SOURCES / "headrace" / name for name in ("engine", "runtime")]
    files = [*(file for folder in folders for file in folder.rglob("*.py")), SOURCES / "headrace" / "log" / "launch.py"]
    calls = (
        node
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("say")
    )
    texts = (part.values for call in calls for part in call.args if isinstance(part, ast.JoinedStr))
    return [re.compile("".join(map(_pattern, parts))) for parts in texts]


def _pattern(part: ast.expr) -> str:
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+"


def test_links_lead_somewhere() -> None:
    lost = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
        if not target.startswith(("https://", "http://")) and not leads(page, target)
    ]
    assert lost == []


def leads(page: Path, target: str) -> bool:
    """Whether a link of a page, perhaps to a heading, goes to something that is there."""
    path, _, heading = target.partition("#")
    there = page.parent / path if path else page
    return there.exists() and (not heading or heading in headings(there))


@cache
def headings(page: Path) -> frozenset[str]:
    """The headings of a page as GitHub makes anchors of them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found)


def test_a_link_to_nothing_is_found() -> None:
    page = ROOT / "docs" / "guide" / "operating.md"
    assert leads(page, "late-and-failed.md#handlers-and-dead-letters")
    assert not leads(page, "late-and-failed.md#handlers")
    assert not leads(page, "late.md")
