"""The functions of `headrace.functions`: one list, and the page of the reference that is written from it.

`UPDATE_GOLDEN=1 pytest tests/unit/test_functions.py` writes the page anew.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import headrace as hr
import headrace.functions as F
from headrace.expr.functions import TABLE

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reference" / "functions.md"
HEAD = """# Functions by name

What a lambda computes where Python has no operator, method or function of its own, and those again by name, for
expressions that stand without a lambda. The guide shows [what else can be written](../guide/functions.md).
`tests/unit/test_functions.py` writes this page from `headrace.functions`.

```python
import headrace.functions as F

app = hr.App("functions")
links = app.stream("links", value=hr.STRING)
links.map_values(lambda url: F.sha256(url)).to("digests")
```

An argument that is None stops the application, as it does in Python, but where the text below speaks of None.
"""


def page() -> str:
    return HEAD + "".join(
        f"\n## {title[0].upper()}{title[1:]}\n\n| function | computes | is |\n|---|---|---|\n{''.join(map(row, names))}"
        for title, names in sections()
    )


def sections() -> Iterator[tuple[str, list[str]]]:
    """The functions in the order of their file, with the comments above them."""
    source = inspect.getsource(F)
    lines = {node.name: node.lineno for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    titles = [(number, line[5:]) for number, line in enumerate(source.splitlines(), 1) if line.startswith("# -- ")]
    ends = [number for number, _ in titles[1:]] + [len(source)]
    for (start, title), end in zip(titles, ends, strict=True):
        yield title, [name for name, line in lines.items() if start < line < end and not name.startswith("_")]


def row(name: str) -> str:
    function = getattr(F, name)
    signature = inspect.signature(function)
    result = signature.return_annotation
    kind = "as its arguments" if result in ("Expr", "object", "_T") else f"`{result}`"
    arguments = ", ".join(str(one).partition(":")[0] for one in signature.parameters.values())
    cells = (f"`F.{name}({arguments})`", str(inspect.getdoc(function)), kind)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def test_the_page_has_every_function_as_the_code_says_it() -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page(), "utf-8")
    assert page() == PAGE.read_text("utf-8")
    assert sorted(name for _, names in sections() for name in names) == dir(F)


def test_every_function_of_the_table_has_its_name() -> None:
    without = {"bool", "format", "if", "when"}  # Python's own words, and a choice, which begins in `hr`
    assert {row.name for row in TABLE if row.name.isidentifier()} - without - set(dir(F)) == set()


def test_pages_name_no_function_that_is_not_there() -> None:
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    named = {name for one in pages for name in re.findall(r"\bF\.(\w+)", one.read_text("utf-8"))}
    assert sorted(named - set(dir(F))) == []
    assert len(named) >= len(dir(F))


def test_functions_are_found_in_the_front_door_still_but_not_listed_there() -> None:
    assert all(getattr(hr, name) is getattr(F, name) for name in dir(F))
    assert not set(dir(F)) & set(dir(hr))
    assert len(dir(hr)) < 60


@pytest.mark.parametrize("name", ["when", "lit", "STRING"])
def test_what_is_in_the_front_door_alone_is_said(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'headrace.functions' has no attribute '{name}': it is hr.{name}"):
        getattr(F, name)


def test_names_that_are_nowhere() -> None:
    for module in (hr, F):
        with pytest.raises(AttributeError, match=r"has no attribute 'lenght'$"):
            getattr(module, "lenght")  # noqa: B009 (a type checker would say it)
