"""What goes wrong outside the program: each time a sentence that says what to do, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.errors import (
    BrokerUnreachable,
    BufferFull,
    CheckpointInUse,
    CheckpointUnwritable,
    HeadraceError,
    RecordFailed,
    RecordRefused,
    RecordUndecodable,
    StateChanged,
    TopicMissing,
)
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from waiting import while_up

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

Copy = Callable[..., hr.App]


@pytest.fixture
def copy(broker: str, tmp_path: Path) -> Copy:
    """An application that copies a topic, always on the same checkpoint."""

    def make(source: str, target: str, value: hr.Serde[Any] = hr.BYTES) -> hr.App:
        app = hr.App("copy", broker=broker, checkpoint=tmp_path / "checkpoint")
        app.stream(source, value=value).to(target)
        return app

    return make


def words(app: hr.App, expected: type[HeadraceError]) -> str:
    with pytest.raises(expected) as caught:
        app.run(until="latest")
    assert app.state is hr.State.FAILED
    return str(caught.value)


def test_a_missing_topic_is_named_with_the_command_that_makes_it(broker: str, copy: Copy) -> None:
    assert words(copy("no-such-in", "no-such-out"), TopicMissing) == (
        f"no topic 'no-such-in', 'no-such-out' on {broker}\n"
        f"  to do: headrace topics create no-such-in --partitions 4 --broker {broker} && "
        f"headrace topics create no-such-out --partitions 4 --broker {broker}"
    )


def test_a_missing_topic_is_made_on_the_embedded_broker(
    broker_dir: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "headrace")
    app = hr.App("embedded", checkpoint=tmp_path / "checkpoint")
    chosen = app.stream("rivers", value=hr.STRING)
    chosen.to("brooks")
    chosen.to(lambda _, name: name)
    with EmbeddedBroker(broker_dir).join() as lease:
        with app:
            produce(lease.address, None, "rivers", [NewRecord(value=b"by-record")])
            while_up(app, lambda: app.metrics().records_out >= 2, "2 records out")
        assert Topics(lease.address).names() == ["brooks", "by-record", "rivers"]
    assert "embedded: made topic rivers" in caplog.messages
    assert "embedded: made topic brooks" in caplog.messages


def test_a_topic_chosen_by_a_record_that_is_not_there(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source = topic()
    produce(broker, None, source, [NewRecord(value=b"nowhere")])
    app = hr.App("choose", broker=broker, checkpoint=tmp_path)
    app.stream(source, value=hr.STRING).to(lambda _, name: name)
    assert words(app, TopicMissing).startswith(
        f"no topic 'nowhere' on {broker}\n  to do: headrace topics create nowhere"
    )


def test_a_topic_chosen_by_a_record_that_cannot_be(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source = topic()
    produce(broker, None, source, [NewRecord(value=b"no topic")])
    app = hr.App("invalid", broker=broker, checkpoint=tmp_path)
    app.stream(source, value=hr.STRING).to(lambda _, name: name)
    assert words(app, RecordRefused).startswith("a record for topic 'no topic' was refused: Topic name is invalid")


def test_a_topic_of_none_names_the_record(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source = topic(partitions=1)
    produce(broker, None, source, [NewRecord(value=None)])
    app = hr.App("none", broker=broker, checkpoint=tmp_path)
    app.stream(source, value=hr.STRING).to(lambda _, name: name)
    told = words(app, RecordFailed)
    assert "failed on a record: None is not a topic" in told
    assert f"at: {source}-0@0" in told


def test_too_many_results_held_back_name_the_record(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source = topic(partitions=1)
    produce(broker, None, source, [NewRecord(key=key, value=b"x", timestamp_ms=1) for key in (b"a", b"a", b"b")])
    app = hr.App("full", broker=broker, checkpoint=tmp_path)
    table = app.stream(source, key=hr.STRING, value=hr.STRING).to_table()
    table.suppress(hr.until_time_limit("1h", max_records=1, when_full="stop"), name="held").to_stream().to(topic())
    told = words(app, BufferFull)
    assert "would hold back more than 1 results" in told
    assert f"at: {source}-0@2" in told


def test_a_broker_that_does_not_answer(tmp_path: Path) -> None:
    app = hr.App("alone", broker="127.0.0.1:9", checkpoint=tmp_path)
    app.stream("in").to("out")
    told = words(app, BrokerUnreachable)
    assert told.startswith("no Kafka broker answered at 127.0.0.1:9 within 8 s")
    assert "check the address" in told


def test_a_record_that_cannot_be_decoded_and_going_on_after_it(
    broker: str, topic: Callable[..., str], copy: Copy
) -> None:
    source, target = topic(partitions=1), topic()
    produce(broker, None, source, [NewRecord(value=b"good"), NewRecord(value=b"b\xffd")])
    assert words(copy(source, target, value=hr.STRING), RecordUndecodable) == (
        "the value of a record is not STRING: byte 0xff at 1 is not UTF-8\n"
        f"  at: {source}-0@1\n"
        "  to do: read the topic with the serde it was written with;"
        " the application goes on from here at its next start"
    )
    copy(source, target).run(until="latest")
    assert {record.value for record in consume(broker, None, target)} == {b"good", b"b\xffd"}


def test_a_function_that_fails_names_the_record_and_the_line(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = topic(partitions=1), topic()
    produce(broker, None, source, [NewRecord(value=b"a"), NewRecord(value=None)])
    app = hr.App("upper", broker=broker, checkpoint=tmp_path)
    app.stream(source, value=hr.STRING).map_values(lambda text: text.upper(), name="louder").to(target)
    told = words(app, RecordFailed)
    assert "louder (test_bad_input.py:" in told
    assert "failed on a record: None has no upper()" in told
    assert f"at: {source}-0@1" in told


def test_a_record_too_large_to_write(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(), topic()
    produce(broker, None, source, [NewRecord(value=b"x" * 900_000)])
    app = hr.App("large", broker=broker, checkpoint=tmp_path)
    app.stream(source, value=hr.STRING).map_values(lambda text: text.replace("x", "x" * 40)).to(target)
    told = words(app, RecordRefused)
    assert told.startswith(f"a record for topic {target!r} was refused: The message is 3600")
    assert "max.request.size" in told


def test_a_checkpoint_that_is_in_use(topic: Callable[..., str], copy: Copy) -> None:
    source, target = topic(), topic()
    with copy(source, target) as first:
        told = words(copy(source, target), CheckpointInUse)
        assert told == (
            f"application 'copy' is already running on this checkpoint (process {os.getpid()})\n"
            f"  at: {first.checkpoint}\n"
            "  to do: stop that process, or give this application another id or checkpoint="
        )
    copy(source, target).run(until="latest")


def test_a_checkpoint_that_cannot_be_made(broker: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    app = hr.App("unwritable", broker=broker, checkpoint=tmp_path / "file" / "checkpoint")
    app.stream("in").to("out")
    assert words(app, CheckpointUnwritable).startswith("the checkpoint directory cannot be written: Not a directory\n")


def test_a_checkpoint_of_another_topology(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(), topic()

    def count(store: str) -> hr.App:
        app = hr.App("stores", broker=broker, checkpoint=tmp_path)
        app.stream(source).group_by_key().count(store=store).to_stream().to(target)
        return app

    count("old").run(until="latest")
    told = words(count("new"), StateChanged)
    assert told.startswith("application 'stores' does not fit its state: store 'old' is not there any more\n")
    count("old").run(until="latest")


def test_a_full_disk_and_going_on_when_there_is_room(
    broker: str, topic: Callable[..., str], disk: Callable[[str], Path]
) -> None:
    source, target, small_disk = topic(), topic(), disk("300k")

    def count() -> hr.App:
        app = hr.App("full", broker=broker, checkpoint=small_disk, retry_for="0s")
        app.stream(source, value=hr.STRING).group_by(lambda _, word: word).count(store="n").to_stream().to(target)
        return app

    count().run(until="latest")
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * (free(small_disk) - 20_000))
    produce(broker, None, source, [NewRecord(value=b"word%d" % n) for n in range(20_000)])
    assert "No space left on device" in words(count(), CheckpointUnwritable)
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    count().run(until="latest")
    assert {hr.INT64.decode(record.value) for record in consume(broker, None, target)} == {1}


def free(place: Path) -> int:
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


def test_what_cannot_be_decoded_is_read_as_a_stream(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target, undecodable = topic(partitions=1), topic(partitions=1), topic(partitions=1)
    values = [hr.INT64.encode(1), b"12", hr.INT64.encode(2)]
    produce(broker, None, source, [NewRecord(key=b"k", value=value, timestamp_ms=5) for value in values])
    app = hr.App("undecodable", broker=broker, checkpoint=tmp_path)
    numbers = app.stream(source, key=hr.STRING, value=hr.INT64)
    numbers.to(target)
    told = hr.value.error + ": " + hr.value.message + " " + hr.value.origin
    numbers.errors().map_values(told).to(undecodable, value=hr.STRING)
    app.run(until="latest")
    assert [hr.INT64.decode(record.value) for record in consume(broker, None, target)] == [1, 2]
    (failed,) = consume(broker, None, undecodable)
    message = "the value of a record is not INT64: 2 bytes, 8 are needed"
    assert (failed.key, failed.timestamp_ms) == (b"k", 5)
    assert hr.STRING.decode(failed.value) == f"ValueError: {message} {source}-0@1"
