"""The results of queries as rows: what was measured, of both systems, and what headrace has to reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.contenders import HEADRACE_QUERIES, STREAMS_QUERIES
from bench.queries.measure import REST, REST_P99_MS, WATCHERS, Queries

HEADS = ("queries", HEADRACE_QUERIES.name, STREAMS_QUERIES.name, "headrace / peer", "wanted", "")


class _Row(NamedTuple):
    """A figure, how it is written, and what is wanted: at least or at most."""

    title: str
    figure: Callable[[Queries], float]
    form: str = "{:,.0f}"
    at_least: float | None = None
    at_most: float | None = None
    compared: bool = True

    def shown(self, found: Queries) -> str:
        return self.form.format(self.figure(found))

    def wanted(self) -> str:
        if self.at_most is not None:
            return f"{self.form.format(self.at_most)} or less"
        return f"{self.form.format(self.at_least)} or more" if self.at_least is not None else ""

    def reached(self, found: Queries) -> bool:
        figure = self.figure(found)
        return figure <= self.at_most if self.at_most is not None else figure >= (self.at_least or 0)


_ROWS = (
    _Row("gets in process, on one thread, a second", lambda one: one.gets, at_least=100_000),
    _Row(f"over HTTP at {REST:,}/s, p50 ms", lambda one: one.rest_p50, "{:.1f}"),
    _Row(f"over HTTP at {REST:,}/s, p99 ms", lambda one: one.rest_p99, "{:.1f}", at_most=REST_P99_MS),
    _Row("the most, ms", lambda one: one.rest_most, "{:.1f}"),
    _Row("cores of the program meanwhile", lambda one: one.cores, "{:.2f}"),
    _Row("cores of who asks", lambda one: one.load_cores, "{:.2f}", compared=False),
    _Row(f"highest rate with a p99 of {REST_P99_MS:g} ms", lambda one: one.sustained, at_least=REST),
    _Row("answers/s when connections are always busy", lambda one: one.closed),
    _Row("from a record sent to its count answered, p50 ms", lambda one: one.sent_p50),
    _Row("the same, p99 ms", lambda one: one.sent_p99),
    _Row("from commit to answer, p50 ms", lambda one: one.committed_p50, compared=False),
    _Row("the same, p99 ms", lambda one: one.committed_p99, at_most=100, compared=False),
    _Row("records/s when a replica is built", lambda one: one.built / one.build_s, at_least=200_000),
    _Row("from the start of a program without state to answers, s", lambda one: one.start_s, "{:.1f}"),
)
_WATCHED = (
    _Row("watchers at once, each told every change of its key", lambda one: one.watchers, at_least=WATCHERS),
    _Row("changes told", lambda one: one.changes),
    _Row("from commit to watcher, p50 ms", lambda one: one.watched_p50),
    _Row("the same, p99 ms", lambda one: one.watched_p99),
)


def rows(results: Sequence[Queries]) -> list[tuple[str, ...]]:
    """All figures, and first why there are none where a run is void."""
    by_name = {one.contender: one for one in results}
    ours, peer = by_name.get(HEADRACE_QUERIES.name), by_name.get(STREAMS_QUERIES.name)
    found: list[tuple[str, ...]] = []
    if any(one.note for one in results):
        found.append(("", *((one.note or "") if one else "" for one in (ours, peer)), "", "", ""))
    ours, peer = (one if one and not one.note else None for one in (ours, peer))
    found += [_row(row, ours, peer) for row in _ROWS]
    return found + [_row(row, ours, None) for row in _WATCHED] if results else []


def _row(row: _Row, ours: Queries | None, peer: Queries | None) -> tuple[str, ...]:
    shown = [row.shown(one) if one else "" for one in (ours, peer)]
    ratio = ""
    if row.compared and ours and peer and row.figure(peer):
        ratio = f"{row.figure(ours) / row.figure(peer):.2f}"
    wanted = row.wanted()
    verdict = "" if not wanted else "reached" if ours and row.reached(ours) else "missed"
    return (row.title, *shown, ratio, wanted, verdict)
