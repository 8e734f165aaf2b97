"""Where an application stands is seen by those who look at consumer groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import PositionsRefused
from headrace.log.groups import Group
from headrace.log.records import NewRecord, produce
from headrace.log.topics import Topics

pytestmark = pytest.mark.spark


@pytest.mark.usefixtures("spark")
def test_its_group_has_the_positions_behind_the_last_batch(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = topic("in", 3), topic("out")
    produce(broker, None, source, [NewRecord(key=str(number).encode(), value=b"") for number in range(100)])
    app = hr.App(f"positions-{source}", broker=broker, checkpoint=tmp_path)
    app.stream(source).to(target)
    app.run(until="latest")
    ends = Topics(broker).end_offsets(source)
    assert sum(ends.values()) == 100
    assert Group(app.id, broker).positions() == {(source, partition): end for partition, end in ends.items()}


def test_positions_that_cannot_be_are_refused_in_words(broker: str) -> None:
    with pytest.raises(
        PositionsRefused, match="the positions of consumer group 'nobody' could not be written: no-such"
    ) as told:
        Group("nobody", broker).publish({("no-such-topic", 0): 1})
    assert "let no consumer join" in str(told.value)
