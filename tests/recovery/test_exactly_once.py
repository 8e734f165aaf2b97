"""A batch that is run again is not written again, and a new checkpoint begins anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import RecordFailed
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


@pytest.mark.usefixtures("spark")
def test_a_half_written_batch_is_completed_whatever_the_order_of_the_topics(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    """One task has written its share when another fails; then the function is mended, and two lines are swapped."""
    few, many, target = topic("a-few", 1), topic("b-many", 1), topic("out", 1)
    written = {few: list(range(1_500)), many: list(range(10_000, 100_000))}
    for source, values in written.items():
        produce(broker, None, source, (NewRecord(value=hr.INT64.encode(value)) for value in values))

    def run(*sources: str, bad: int) -> list[int]:
        app = hr.App("half", broker=broker, checkpoint=tmp_path)
        for source in sources:
            app.stream(source, value=hr.INT64).map_values(lambda value: value + 0 // (value - bad)).to(target)
        app.run(until="latest")
        return found()

    def found() -> list[int]:
        return sorted(hr.INT64.decode(record.value) or 0 for record in consume(broker, None, target))

    with pytest.raises(RecordFailed, match="division by zero"):
        run(few, many, bad=written[many][-1])
    assert found() == written[few]
    assert run(many, few, bad=-1) == written[few] + written[many]
