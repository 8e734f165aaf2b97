"""What a benchmark makes of its measurements."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bench import kept
from bench.drain import Result, judged, middle, warm_rate
from bench.latency import Latency
from bench.process import Ran, Usage
from bench.recovery import Recovery
from bench.report import report
from bench.special import Single
from bench.suite import Results
from bench.workloads.w2 import Counts


def ran(*marks: dict[str, object], failure: str | None = None) -> Ran:
    return Ran(0.0, list(marks), Usage(1), Usage(2), failure)


def drained(workload: str, contender: str, rate: float) -> Result:
    return Result(
        workload=workload, contender=contender, records=1_000, drain_s=1_000 / rate, warm_rate=2 * rate, cpu_s=2.0
    )


def test_ratios_stand_beside_what_they_have_to_reach() -> None:
    drains = [
        drained("W2", "headrace", 300.0),
        drained("W2", "Kafka Streams", 100.0),
        drained("W2", "Quix Streams", 50.0),
        Result(workload="W3", contender="headrace", note="void: failed with 1"),
        drained("W3", "Kafka Streams", 100.0),
    ]
    lines = report(Results(1_000, 10, 1, drains=drains)).splitlines()
    assert "| W2, keyed count, 10 k keys | Kafka Streams | 3.00 | 3.00 | 1.5 | reached |" in lines
    assert "| W2, keyed count, 10 k keys | Quix Streams | 6.00 | 6.00 | 10 | missed |" in lines
    assert "| W3, hopping windows, final only | Kafka Streams |  |  | 1.2 | void: failed with 1 |" in lines
    assert any(line.startswith("| W2 | headrace | 300 | 600 | 500 |") for line in lines)


def test_special_figures_are_judged() -> None:
    large = Result(workload="W2-1M", contender="headrace", records=1, drain_s=1.0, cpu_s=1.0, peak_bytes=3_500_000_000)
    keys = [drained("turns-1M", "headrace", 100.0), drained("turns-10M", "headrace", 80.0)]
    singles = [Single(1, 250.0, 300.0), Single(3, note="void: no")]
    lines = report(Results(1_000, 10, 1, drains=[large, *keys], singles=singles)).splitlines()
    assert "| peak memory, W2 with 1 M keys | 3.50 GB | 3 GB or less | missed |" in lines
    assert "| rate with 10 M keys / with 1 M | 0.80 (80 / 100 records/s) | 0.7 | reached |" in lines
    assert "| batch of one record, one stage | 250 ms (answer after 300 ms) | 300 ms or less | reached |" in lines
    assert "| batch of one record, 3 stages | void: no | 600 ms or less | missed |" in lines


def test_recoveries_stand_beside_what_they_have_to_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        Recovery(
            contender=contender,
            state_bytes=1_000_000_000,
            kept_bytes=2_500_000_000,
            after_kill_s=times,
            after_start_s=tuple(seconds - 1 for seconds in times),
        )
        for contender, times in (
            ("headrace, exactly once", (15.0, 16.0, 30.0)),
            ("Kafka Streams, exactly once", (50.0,)),
        )
    ]
    monkeypatch.setattr(kept, "KEPT", tmp_path / "results.json")
    kept.merged(Results(1_000, 10, 1, recoveries=found))
    lines = report(kept.merged(Results(1_000, 10, 1))).splitlines()  # as they are read again
    name = "headrace, exactly once"
    times = "16.0 s (15.0 - 30.0) | 15.0 s (14.0 - 29.0)"
    assert f"| {name} | 1.00 GB | 2.50 GB | {times} | 25 s or less | reached |" in lines
    assert "| Kafka Streams, exactly once | 1.00 GB | 2.50 GB | 50.0 s | 49.0 s |  |  |" in lines
    void = [Recovery(contender=name, note="void: no")]
    assert f"| {name} | void: no |  |  |  | 25 s or less | missed |" in report(Results(1, 1, 1, recoveries=void))


def test_the_middle_run_counts() -> None:
    runs = [drained("W2", "headrace", rate) for rate in (300.0, 100.0, 200.0)]
    assert (middle(runs).rate, middle(runs).rates) == (200.0, (100.0, 200.0, 300.0))
    void = Result(workload="W2", contender="headrace", note="void: wrong")
    assert middle([*runs, void]) is void
    assert middle(runs[:1]) is runs[0]


def test_new_results_take_the_place_of_older_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEPT", tmp_path / "results.json")
    older = Results(1_000, 10, 1, drains=[drained("W2", "headrace", 1.0), drained("W3", "headrace", 2.0)])
    assert kept.merged(older).drains == older.drains
    newer = Results(1_000, 10, 1, drains=[middle([drained("W2", "headrace", rate) for rate in (3.0, 4.0, 5.0)])])
    assert kept.merged(newer).drains == [*newer.drains, *older.drains[1:]]
    assert kept.merged(Results(1_000, 10, 1, singles=[Single(1)])).drains == [*newer.drains, *older.drains[1:]]


def test_latencies_are_shown() -> None:
    found = [Latency(workload="W1a", contender="headrace", p50=1.0, p99=2.0, most=3.0)]
    assert "| W1a | headrace | 1 | 2 | 3 |" in report(Results(1_000, 10, 1, latencies=found))


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (ran(failure="failed with 1: x"), "void: failed with 1: x"),
        (ran(), None),
    ],
)
def test_a_run_counts_unless_it_failed(one: Ran, reason: str | None) -> None:
    assert judged(one, Counts(1), [], every=True) == reason


def test_the_warm_rate_begins_with_a_quarter_of_the_records() -> None:
    marks = [{"mark": "read", "at": float(at), "records": read} for at, read in ((1, 10), (2, 30), (3, 60), (4, 100))]
    assert warm_rate(ran(*marks), 100, 9.0) == (100 - 30) / (9 - 2)
    assert warm_rate(ran(*marks[3:]), 100, 9.0) is None


def test_usage_is_that_of_a_process_and_all_below_it() -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    usage = Usage(10)
    usage.sample({10: (1, ticks, 100), 11: (10, ticks, 50), 12: (11, ticks, 7), 99: (1, 5 * ticks, 1_000)})
    usage.sample({10: (1, 2 * ticks, 100), 11: (10, 2 * ticks, 60)})  # 12 has ended: its time stays
    assert usage.peak_bytes == 160
    assert [cpu for _, cpu in usage.samples] == [3.0, 5.0]
    (first, _), (second, _) = usage.samples
    assert usage.cpu_s(first, second) == 2.0
    assert usage.cpu_s(first - 10, second + 10) == 2.0
