"""What an application has done, as numbers and as text."""

from __future__ import annotations

import re
from pathlib import Path

from headrace.model.batches import Batch, StageWork
from headrace.observe.metrics import Metrics
from headrace.observe.prometheus import prometheus
from headrace.rest.server.request_metrics import Counts, share_families

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"
STAGE = StageWork(number=1, records_in=10, records_out=4, state_rows=4, state_bytes=4096, commit_ms=7)
FIRST = Batch(number=6, records_in=10, records_out=4, duration_ms=2_000, dead_letters=2, drops={("n", "no key"): 2})
SECOND = Batch(
    number=7,
    records_in=90,
    records_out=0,
    duration_ms=500,
    parts_ms={"addBatch": 400},
    stages=(STAGE,),
    drops={("n", "no key"): 1, ('say "hi"', "a\\b\nc"): 5},
    lag={("orders", 0): 3, ("orders", 1): 0},
)


def test_batches_add_up_and_the_last_one_stays() -> None:
    found = Metrics(app="shop").plus(FIRST).plus(SECOND)
    assert (found.batches, found.records_in, found.records_out, found.busy_ms) == (2, 100, 4, 2_500)
    assert found.drops == {("n", "no key"): 3, ('say "hi"', "a\\b\nc"): 5}
    assert (found.last, found.stages, found.lag) == (SECOND, (STAGE,), {("orders", 0): 3, ("orders", 1): 0})
    assert SECOND.records_per_s == 180
    assert str(found) == "100 records in, 4 out, 2 batches"


def test_nothing_was_done_yet() -> None:
    found = Metrics(app="shop")
    assert (found.stages, found.lag, str(found)) == ((), {}, "0 records in, 0 out, 0 batches")
    assert 'headrace_batch_number{app="shop"} -1' in found.prometheus().splitlines()


def test_prometheus_gets_each_name_with_help_and_type() -> None:
    lines = Metrics(app="shop").plus(FIRST).plus(SECOND).prometheus().splitlines()
    at = lines.index("# TYPE headrace_records_dropped_total counter")
    assert lines[at - 1 : at + 3] == [
        "# HELP headrace_records_dropped_total Records left out since the start, by node and reason.",
        "# TYPE headrace_records_dropped_total counter",
        'headrace_records_dropped_total{app="shop",node="n",reason="no key"} 3',
        'headrace_records_dropped_total{app="shop",node="say \\"hi\\"",reason="a\\\\b\\nc"} 5',
    ]
    assert 'headrace_batch_seconds_total{app="shop"} 2.5' in lines
    assert 'headrace_dead_letters_total{app="shop"} 2' in lines
    assert 'headrace_batch_part_seconds{app="shop",part="addBatch"} 0.4' in lines
    assert 'headrace_state_bytes{app="shop",stage="1"} 4096' in lines
    assert 'headrace_lag_records{app="shop",topic="orders",partition="0"} 3' in lines


def test_large_counts_are_written_out() -> None:
    text = Metrics(app="shop", records_in=12_345_678_901_234).prometheus()
    assert 'headrace_records_in_total{app="shop"} 12345678901234' in text


def test_the_page_lists_every_name() -> None:
    named = re.findall(r"^\| `(headrace_\w+)`", PAGE.read_text("utf-8"), re.MULTILINE)
    families = [*Metrics(app="shop").families(), *Counts().families(), *share_families(None, 0)]
    assert named == re.findall(r"^# TYPE (\w+)", prometheus(families, {}), re.MULTILINE)
