"""Plugin of pytest with the fixture of the test driver, found wherever headrace is installed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from headrace.dsl.builder import Builder
    from headrace.testing.driver import TopologyTestDriver

Drivers = Callable[..., "TopologyTestDriver"]
"""The type of the fixture: makes a driver of an application."""

_MADE = pytest.StashKey["list[TopologyTestDriver]"]()


@pytest.fixture
def topology_driver(request: pytest.FixtureRequest) -> Iterator[Drivers]:
    """Make drivers of applications: `driver = topology_driver(app)`. All of them are closed after the test.

    If the test fails, the report says what they wrote, what of it was not read, and what they dropped.
    """
    from headrace.testing.driver import TopologyTestDriver  # pytest loads this file even if no test needs it

    made: list[TopologyTestDriver] = request.node.stash.setdefault(_MADE, [])

    def make(app: Builder, *, now_ms: int = 0) -> TopologyTestDriver:
        made.append(TopologyTestDriver(app, now_ms=now_ms))
        return made[-1]

    yield make
    for driver in made:
        driver.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the drivers of a test that failed."""
    report = yield
    if report.failed and report.when == "call":
        report.sections += [("headrace", repr(driver)) for driver in item.stash.get(_MADE, [])]
    return report
