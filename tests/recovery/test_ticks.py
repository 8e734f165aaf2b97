"""When the clock alone makes a batch, and when it does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce
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
