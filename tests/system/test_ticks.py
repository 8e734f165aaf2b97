"""When the clock alone makes a batch, and when it does not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce
from headrace.spark.session.spark import kernel
from waiting import until_read, while_up

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def test_a_quiet_application_that_waits_for_no_time_runs_no_batch(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source = topic()
    app = hr.App("quiet", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING).group_by_key().count(store="n").to_stream().to(topic())
    with app:
        produce(broker, None, source, [NewRecord(key=b"a", value=b"x")])
        until_read(app, 1)
        batches = app.metrics().batches  # Spark begins with one that is empty if it comes before the record
        time.sleep(3)
        assert app.metrics().batches == batches


def test_a_window_closes_in_a_quiet_application_and_then_it_is_quiet_again(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = topic(partitions=1), topic(partitions=1)
    app = hr.App("silent", broker=broker, checkpoint=tmp_path)
    windows = hr.tumbling("1s", idle_after="2s")
    closing = app.stream(source, key=hr.STRING).group_by_key().windowed_by(windows).emit_strategy(hr.on_window_close())
    closing.count(store="n").to_stream().map(lambda window, n: (window.key, n)).to(target, key=hr.STRING)
    batches: list[tuple[int, int]] = []
    app.on_batch(lambda metrics: batches.append((metrics.last.records_in, metrics.last.records_out)))  # type: ignore[union-attr]
    with app:
        produce(broker, None, source, [NewRecord(key=b"a", value=b"x", timestamp_ms=1_000)] * 3)
        while_up(app, lambda: app.metrics().records_out == 1, "the window")
        time.sleep(4)
        assert batches[-2:] == [(3, 0), (0, 1)]
    assert [hr.INT64.decode(record.value) for record in consume(broker, None, target)] == [3]


HOUR_MS = 3_600_000


@pytest.fixture
def set_clock(spark: Any) -> Iterator[Callable[[int], None]]:
    """Set the machine's clock, as the kernel sees it, forward or back."""
    yield kernel(spark, "model").Clock.shift
    kernel(spark, "model").Clock.shift(0)


def test_a_clock_that_jumps_an_hour_forward_and_back(
    broker: str, topic: Callable[..., str], tmp_path: Path, set_clock: Callable[[int], None]
) -> None:
    """On both engines nothing is lost, nothing is late, and no window closes before its time."""
    source, counts = topic(partitions=1), topic(partitions=1)
    closed = {name: topic(partitions=1) for name in ("native", "python")}
    app = hr.App("jumps", broker=broker, checkpoint=tmp_path)
    records = app.stream(source, key=hr.STRING, value=hr.STRING)
    records.group_by_key().count(store="n").to_stream().to(counts, value=hr.INT64)
    in_python = records.map_values(lambda value: "".join(sorted(value, key=ord)))
    for (name, target), read in zip(closed.items(), (records, in_python), strict=True):
        windows = read.group_by_key().windowed_by(hr.tumbling("1s", idle_after="30m"))
        closing = windows.emit_strategy(hr.on_window_close()).count(store=f"{name}-n")
        closing.to_stream().map(lambda window, n: (window.key, n)).to(target, key=hr.STRING, value=hr.INT64)
    told: list[int] = []
    app.on_batch(lambda metrics: told.append(metrics.records_in))

    def values(target: str) -> list[int | None]:
        return [hr.INT64.decode(record.value) for record in consume(broker, None, target)]

    with app:
        for number, jump in enumerate([0, HOUR_MS, 0, -HOUR_MS]):
            set_clock(jump)
            time.sleep(1)  # long enough for a batch that the clock alone would make
            closed_before = [values(target) for target in closed.values()]
            assert closed_before == [[1] * max(number - 1, 0)] * 2
            produce(broker, None, source, [NewRecord(key=b"a", value=b"x", timestamp_ms=2_000 * number + 1_000)])
            while_up(app, lambda: told[-1:] == [number + 1], f"{number + 1} records told of")  # noqa: B023
    assert values(counts) == [1, 2, 3, 4]
    assert [values(target) for target in closed.values()] == [[1, 1, 1]] * 2
    assert app.metrics().drops == {}
