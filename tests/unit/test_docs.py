"""The examples of README, guide and docstrings run as they stand."""

from __future__ import annotations

import doctest
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import headrace as hr

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
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
    assert len(sample) == 7
    assert all(line.startswith("    word-count: ") for line in sample)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} -> {target}"
