"""A batch that is run again is not written again, and a new checkpoint begins anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce

pytestmark = pytest.mark.spark


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("guarantee", "times"), [("exactly_once", 1), ("at_least_once", 2)])
def test_a_batch_that_is_run_again_is_not_written_again(
    broker: str, topic: Callable[..., str], tmp_path: Path, guarantee: str, times: int
) -> None:
    """As if the application had been killed when the sink was done, and before Spark had noted it."""
    source, target = topic("data"), topic("out")

    def run() -> list[bytes]:
        app = hr.App("again", broker=broker, checkpoint=tmp_path, guarantee=guarantee)
        app.stream(source).to(target)
        app.run(until="latest")
        return sorted(record.value or b"" for record in consume(broker, None, target))

    written = [str(number).encode() for number in range(100)]
    produce(broker, None, source, [NewRecord(key=value, value=value) for value in written])
    assert run() == sorted(written)
    last = max((tmp_path / "spark" / "commits").glob("[0-9]*"), key=lambda file: int(file.name))
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)
    assert run() == sorted(written * times)


@pytest.mark.usefixtures("spark")
def test_a_new_checkpoint_begins_anew(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """Its batches have the numbers of those that were written before, and are others."""
    source, target = topic("data"), topic("out")
    for checkpoint in ("first", "second"):
        produce(broker, None, source, [NewRecord(value=checkpoint.encode())])
        app = hr.App("anew", broker=broker, checkpoint=tmp_path / checkpoint)
        app.stream(source).to(target)
        app.run(until="latest")
    found = sorted(record.value or b"" for record in consume(broker, None, target))
    assert found == [b"first", b"first", b"second"]
