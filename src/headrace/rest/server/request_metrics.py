"""Request metrics of a server."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from headrace.observe.prometheus import MetricFamily
from headrace.query.service.ports import Member

_BOUNDS_S = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Counts:
    """Counts since the start of the server. Only its event loop counts."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds = 0.0
        self.watchers = self.changes = self.conflated = self.cut_off = 0
        self._buckets = [0] * (len(_BOUNDS_S) + 1)

    def request(self, route: str, status: int, seconds: float | None) -> None:
        """A request was answered; None if it was a watch, which takes as long as somebody wants it to."""
        self.requests[route, status] += 1
        if seconds is None:
            return
        self.seconds += seconds
        self._buckets[bisect_left(_BOUNDS_S, seconds)] += 1

    def families(self) -> list[MetricFamily]:
        """As Prometheus knows them."""
        passed, buckets = 0, []
        for bound, count in zip((*map(str, _BOUNDS_S), "+Inf"), self._buckets, strict=True):
            passed += count
            buckets.append(({"le": bound}, passed))
        return [
            MetricFamily.counters(
                "query_requests_total",
                "Requests answered, by path and status.",
                [({"path": path, "status": str(status)}, count) for (path, status), count in self.requests.items()],
            ),
            MetricFamily.histogram("query_seconds", "How long answers took.", buckets, self.seconds, passed),
            MetricFamily.gauge("query_watchers", "Watchers now.", self.watchers),
            MetricFamily.counter("query_changes_total", "Changes sent to watchers.", self.changes),
            MetricFamily.counter(
                "query_conflated_total", "Changes replaced by newer ones of the same key.", self.conflated
            ),
            MetricFamily.counter("query_cut_off_total", "Watchers that read too slowly.", self.cut_off),
        ]


def share_families(member: Member | None, foreign: int) -> list[MetricFamily]:
    """How far the replicas of an instance are, and how many records they have left out."""
    shares = member.shares if member is not None else ()
    labels = [{"store": one.store, "partition": str(one.partition)} for one in shares]
    return [
        MetricFamily.gauges(
            "replica_ready",
            "1 if a replica has caught up and answers.",
            [(label, int(one.ready)) for label, one in zip(labels, shares, strict=True)],
        ),
        MetricFamily.gauges(
            "replica_lag_records",
            "Offsets of its changelog that a replica has yet to read.",
            [(label, one.lag) for label, one in zip(labels, shares, strict=True)],
        ),
        MetricFamily.gauge(
            "replica_foreign_records", "Records left out because their keys are none of their store's.", foreign
        ),
    ]
