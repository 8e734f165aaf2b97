"""A batch that is run again is not written again, and a new checkpoint begins anew."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import BatchHalfDone, BatchTooLong, CheckpointBehind, CheckpointBroken, RecordFailed
from headrace.log.groups import Group
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
    forget_the_last_batch(tmp_path)
    assert run() == sorted(written * times)


def forget_the_last_batch(checkpoint: Path) -> None:
    """Remove Spark's note that it is done."""
    last = max((checkpoint / "spark" / "commits").glob("[0-9]*"), key=lambda file: int(file.name))
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)


@pytest.mark.usefixtures("spark")
def test_a_new_checkpoint_begins_anew(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """Its batches have the numbers of those that were written before, and are others."""
    source, target = topic("data"), topic("out")
    for checkpoint in ("first", "second"):
        Group("anew", broker).delete()  # its positions would tell that there was another
        produce(broker, None, source, [NewRecord(value=checkpoint.encode())])
        app = hr.App("anew", broker=broker, checkpoint=tmp_path / checkpoint)
        app.stream(source).to(target)
        app.run(until="latest")
    found = sorted(record.value or b"" for record in consume(broker, None, target))
    assert found == [b"first", b"first", b"second"]


@pytest.mark.usefixtures("spark")
def test_an_old_copy_of_a_checkpoint_is_refused(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """Its batches have the numbers of others that are there, which would hide them."""
    source, target = topic("data", 1), topic("out", 1)
    checkpoint, copy = tmp_path / "checkpoint", tmp_path / "copy"

    def run(value: bytes, guarantee: str = "exactly_once") -> list[bytes | None]:
        produce(broker, None, source, [NewRecord(value=value)])
        app = hr.App(f"old-{source}", broker=broker, checkpoint=checkpoint, guarantee=guarantee)
        app.stream(source).to(target)
        app.run(until="latest")
        return [record.value for record in consume(broker, None, target)]

    run(b"1")
    shutil.copytree(checkpoint, copy)
    run(b"2")
    assert run(b"3") == [b"1", b"2", b"3"]
    shutil.rmtree(checkpoint)
    copy.rename(checkpoint)
    with pytest.raises(CheckpointBehind, match=r"the checkpoint is at batch \d+, but batch \d+ was written already"):
        run(b"4")
    assert run(b"5", "at_least_once") == [b"1", b"2", b"3", b"2", b"3", b"4", b"5"]


@pytest.mark.usefixtures("spark")
def test_a_store_does_not_join_in_the_middle_of_a_batch(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("data", 1), topic("out", 1)

    def run(*stores: str) -> None:
        app = hr.App(f"joined-{source}", broker=broker, checkpoint=tmp_path)
        words = app.stream(source, key=hr.STRING, value=hr.STRING)
        for store in stores:
            words.group_by_key().count(store=store).to_stream().to(target)
        app.run(until="latest")

    produce(broker, None, source, [NewRecord(key=b"mill", value=b"")])
    run("one")
    forget_the_last_batch(tmp_path)
    with pytest.raises(BatchHalfDone, match="goes on in it with new stores: 'two'"):
        run("one", "two")
    run("one")
    run("one", "two")


@pytest.mark.usefixtures("spark")
def test_a_checkpoint_without_its_layout_is_refused(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(), topic()

    def run() -> None:
        app = hr.App(f"lost-{source}", broker=broker, checkpoint=tmp_path)
        app.stream(source).to(target)
        app.run(until="latest")

    produce(broker, None, source, [NewRecord(value=b"1")])
    run()
    (tmp_path / "headrace.json").unlink()
    with pytest.raises(CheckpointBroken, match="it is gone, and Spark has done batches there"):
        run()


@pytest.mark.usefixtures("spark")
def test_a_batch_that_takes_longer_than_a_transaction_may_says_so(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    """Nobody has taken it over; and without transactions it goes on from there."""
    source, target, mark = topic("data", 1), topic("out", 1), tmp_path / "slept"
    written = [f"{number:02}" for number in range(20)]
    produce(broker, None, source, [NewRecord(value=one.encode()) for one in written])

    def slow(value: str) -> str:
        if value == written[-1] and not mark.exists():  # when the first chunk has been written
            mark.touch()
            time.sleep(14)  # every 10 s a broker looks for what is open for too long
        return value

    def run(guarantee: str) -> None:
        app = hr.App(
            "slow",
            broker=broker,
            checkpoint=tmp_path,
            guarantee=guarantee,
            kafka={"transaction.timeout.ms": "2000"},
            retry_for="0s",
        )
        app.stream(source, value=hr.STRING).map_values(slow).to(target)
        app.run(until="latest")

    with pytest.raises(BatchTooLong, match=r"not done after 1\d s, .* which may be open for 2 s"):
        run("exactly_once")
    run("at_least_once")
    assert [(record.value or b"").decode() for record in consume(broker, None, target)] == written


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
