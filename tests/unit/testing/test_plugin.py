"""The fixture, in a run of pytest of its own."""

from __future__ import annotations

import importlib
import re
import textwrap
import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]
APP = """
    import headrace as hr

    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().count(store="n").to_stream().to("out")
"""


def run(pytester: pytest.Pytester, tests: str | None = None) -> pytest.RunResult:
    """Run tests with the plugin of these sources, whatever headrace is installed."""
    if tests is not None:
        pytester.makepyfile(APP + tests)
    return pytester.runpytest_inprocess("-p", "no:headrace", "-p", "headrace.testing.plugin", "-p", "no:cacheprovider")


def test_pytest_finds_the_plugin_where_headrace_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    plugin = importlib.import_module(project["entry-points"]["pytest11"]["headrace"])
    assert plugin.topology_driver
    assert not any("pytest" in one for one in project["dependencies"])


def test_the_fixture_makes_drivers_and_closes_them(pytester: pytest.Pytester) -> None:
    found = run(
        pytester,
        """
    drivers = []

    def test_counts(topology_driver):
        driver = topology_driver(app)
        drivers.extend([driver, topology_driver(app, now_ms=5)])
        driver.input("in").pipe("x", key="ann")
        assert driver.output("out").read_table() == {"ann": 1}

    def test_closed():
        assert [repr(driver).split(",")[0] for driver in drivers] == ["<closed driver of 'app'"] * 2
""",
    )
    found.assert_outcomes(passed=2)
    found.stdout.no_fnmatch_line("*headrace*unread*")


def test_the_fixture_of_the_guide(pytester: pytest.Pytester) -> None:
    page = (ROOT / "docs" / "guide" / "testing.md").read_text("utf-8")
    app = re.findall(r"```python\n(.*?)\n\n\n", page, re.DOTALL)[0]
    test = page.partition("    def test_orders(topology_driver):\n")
    pytester.makepyfile(f"import headrace as hr\n{app}\n" + textwrap.dedent(test[1] + test[2].partition("\n\n")[0]))
    run(pytester).assert_outcomes(passed=1)


def test_a_failure_shows_what_went_through(pytester: pytest.Pytester) -> None:
    found = run(
        pytester,
        """
    def test_counts(topology_driver):
        driver = topology_driver(app)
        driver.input("in").pipe_records([("ann", "x"), (None, "x")])
        assert driver.store("n").get("ann") == 2
""",
    )
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*- headrace -*", "*out: 1 written, 1 unread", "*n: 1 dropped, no key>"])
