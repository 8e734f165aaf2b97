"""The slowest files of a run, printed at its end."""

from __future__ import annotations

from collections import Counter

from _pytest.terminal import TerminalReporter

_SHOWN = 10
_WORTH_TELLING_S = 60


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
