"""Records of one key meet in one task, however their topics are partitioned."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def scattered(broker: str, topic: str, partitions: int) -> None:
    """One record of key "k" in each partition, as a producer with a rule of its own may write them."""
    produce(broker, None, topic, [NewRecord(key=b"k", value=b"v", partition=number) for number in range(partitions)])


def counts(broker: str, target: str) -> dict[str | None, int | None]:
    return {hr.STRING.decode(record.key): hr.INT64.decode(record.value) for record in consume(broker, None, target)}


def test_topics_with_different_numbers_of_partitions(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    first, second, target = topic(partitions=2), topic(partitions=5), topic()
    scattered(broker, first, 2)
    scattered(broker, second, 5)
    app = hr.App("different", broker=broker, checkpoint=tmp_path)
    one, other = (app.stream(name, key=hr.STRING) for name in (first, second))
    one.merge(other).group_by_key().count(store="n").to_stream().to(target)
    app.run(until="latest")
    assert counts(broker, target) == {"k": 7}


def test_a_topic_that_meets_repartitioned_records(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(partitions=3), topic()
    scattered(broker, source, 3)
    app = hr.App("meets", broker=broker, checkpoint=tmp_path)
    stream = app.stream(source, key=hr.STRING, value=hr.STRING)
    again = stream.select_key(lambda key, _: key).repartition()
    stream.merge(again).group_by_key().count(store="n").to_stream().to(target)
    app.run(until="latest")
    assert counts(broker, target) == {"k": 6}


def test_the_topics_of_a_pattern(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    stem = topic("pattern", partitions=1)
    first, second, target = topic(f"{stem}-a", partitions=2), topic(f"{stem}-b", partitions=3), topic()
    scattered(broker, first, 2)
    scattered(broker, second, 3)
    app = hr.App("pattern", broker=broker, checkpoint=tmp_path)
    app.stream(re.compile(f"{stem}-.*"), key=hr.STRING).group_by_key().count(store="n").to_stream().to(target)
    app.run(until="latest")
    assert counts(broker, target) == {"k": 5}
