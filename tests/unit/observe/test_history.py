"""What an application has done over time: sums in steps, bounded, with what has no sums held."""

from __future__ import annotations

from headrace.model.batches import Batch, StageWork
from headrace.observe.history import SPANS, History, HistoryStep

STAGE = StageWork(number=1, records_in=5, records_out=5, state_rows=7, state_bytes=700, commit_ms=1)
BATCH = Batch(
    number=1,
    records_in=10,
    records_out=4,
    duration_ms=300,
    dead_letters=2,
    stages=(STAGE,),
    drops={("n", "failed"): 2, ("topic", "refused"): 1, ("n", "late"): 5},
    lag={("orders", 0): 3, ("orders", 1): 4},
)


class Clock:
    def __init__(self) -> None:
        self.ms = 1_000_000_000_000

    def __call__(self) -> int:
        return self.ms


def test_batches_of_one_step_add_up() -> None:
    clock = Clock()
    history = History(clock)
    history.add(BATCH)
    clock.ms += 4_999
    history.add(Batch(number=2, records_in=1, records_out=1, duration_ms=900, lag={("orders", 0): 1}))
    history.restarted()
    now, (step,) = history.steps("15m")
    assert now == clock.ms
    assert step == HistoryStep(
        at_ms=1_000_000_000_000,
        batches=2,
        records_in=11,
        records_out=5,
        busy_ms=1_200,
        longest_ms=900,
        failed=3,
        dropped=5,
        dead_letters=2,
        restarts=1,
        lag=1,
        state_rows=0,
        state_bytes=0,
    )


def test_a_query_that_fails_between_batches_keeps_its_lag_and_its_state() -> None:
    clock = Clock()
    history = History(clock)
    history.add(BATCH)
    clock.ms += 5_000
    history.restarted()
    _, (_, last) = history.steps("15m")
    assert last == HistoryStep(at_ms=clock.ms, restarts=1, lag=7, state_rows=7, state_bytes=700)


def test_it_keeps_no_more_than_its_spans() -> None:
    clock = Clock()
    history = History(clock)
    for _ in range(25 * 60):
        history.add(BATCH)
        clock.ms += 60_000
    assert history.since_ms == clock.ms - 25 * 3_600_000
    for span, (step_ms, count) in SPANS.items():
        now, steps = history.steps(span)
        assert abs(steps[0].at_ms - (now - step_ms * count)) <= max(step_ms, 60_000)
        assert len(steps) <= count + 1
    clock.ms += 24 * 3_600_000
    for span in SPANS:
        _, (held,) = history.steps(span)
        assert (held.lag, held.state_bytes) == (7, 700)
