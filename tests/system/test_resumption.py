"""What an application says when it goes on from a checkpoint."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.engine import resumption
from headrace.log.records import NewRecord, produce

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SLOWLY_S = 3.0


def slowly(value: str) -> str:
    if value == "slow":
        time.sleep(SLOWLY_S)
    return value


def test_a_restart_says_what_it_goes_on_from_and_how_far_it_is(
    broker: str,
    topic: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(resumption, "_QUIET_S", 0.5)
    caplog.set_level("INFO", "headrace")
    source, target = topic(partitions=2), topic()

    def said_of(*values: bytes) -> list[str]:
        produce(broker, None, source, [NewRecord(key=b"k", value=value) for value in values])
        app = hr.App("resumed", broker=broker, checkpoint=tmp_path)
        words = app.stream(source, key=hr.STRING, value=hr.STRING).map_values(slowly)
        words.group_by_key().count(store="n").to_stream().to(target)
        caplog.clear()
        app.run(until="latest")
        return [line for line in caplog.messages if re.match("resumed: (going on|restor)", line)]

    assert said_of(b"slow", b"quick") == []
    assert "stores without bound" not in caplog.text, "of no use to whoever starts it for the first time"
    first, *restoring, done = said_of(b"slow")
    assert re.fullmatch(r"resumed: going on behind batch 0 with \d+ kB of state in 2 tasks", first)
    assert "resumed: stores without bound: n (describe() says why)" in caplog.messages
    assert restoring
    assert all(re.fullmatch(r"resumed: restoring state: \d of 4 tasks done", line) for line in restoring)
    assert re.fullmatch(r"resumed: restored, first batch done after \d+\.\d s", done)
    monkeypatch.setattr(resumption, "_QUIET_S", 600)
    assert len(said_of(b"quick")) == 1
