"""The slowest files of a run: begun first, and printed at its end."""

from __future__ import annotations

from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter

FIRST = (
    "tests/conformance/test_cases.py",
    "tests/conformance/test_example_programs.py",
    "tests/system/test_rescale.py",
    "tests/conformance/test_scenarios.py",
    "tests/system/test_broker.py",
    "tests/conformance/test_expressions.py",
    "tests/system/test_bad_records.py",
    "tests/system/test_clusters.py",
    "tests/system/test_workers.py",
    "tests/system/test_supervision.py",
)
"""The files that take longest: a process that began one of them last would be the only one that still runs."""

_SHOWN = 10
_WORTH_TELLING_S = 60


def slowest_first(items: list[pytest.Item]) -> None:
    """Put the tests of the slowest files before all others."""
    order = {file: place for place, file in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(item.nodeid.partition("::")[0], len(order)))


def tell_slowest(reporter: TerminalReporter) -> None:
    """Print the ten slowest files of a run that took a while."""
    files: Counter[str] = Counter()
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "duration", None) is not None:
                files[report.nodeid.partition("::")[0]] += report.duration
    if files.total() < _WORTH_TELLING_S:
        return
    reporter.section("slowest files")
    for file, seconds in files.most_common(_SHOWN):
        reporter.line(f"{seconds:7.1f} s  {file}")
