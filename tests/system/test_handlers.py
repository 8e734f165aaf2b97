"""Records that fail on Spark: what becomes of them, and how they are sent again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import headrace as hr
from headrace.cli.errors import named
from headrace.cli.main import main
from headrace.errors import LetterMissing, LetterNotWhole, RecordFailed, TopicMissing
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.runtime.commands.dead_letters import DeadLetter, DeadLetterTopic

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

PROGRAM = """
import headrace as hr
import headrace.functions as F

app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r}, on_error="dead_letter")
numbers = app.stream({source!r}, key=hr.STRING, value=hr.INT64)
numbers.map_values(lambda value: {expression}).to({target!r})
"""


class Shop:
    """An application in a file, with the topics it reads and writes."""

    def __init__(self, broker: str, source: str, target: str, place: Path) -> None:
        self.broker, self.source, self.target = broker, source, target
        self.name, self.file = f"shop-{source}", place / "shop.py"
        self._checkpoint = str(place / "checkpoint")

    def run(self, expression: str = "100 // value") -> list[int | None]:
        text = PROGRAM.format(
            name=self.name,
            broker=self.broker,
            checkpoint=self._checkpoint,
            source=self.source,
            target=self.target,
            expression=expression,
        )
        self.file.write_text(text)
        assert main(["run", str(self.file), "--until", "latest"]) == 0
        return [hr.INT64.decode(record.value) for record in consume(self.broker, None, self.target)]

    @property
    def letters(self) -> DeadLetterTopic:
        return DeadLetterTopic(f"{self.name}-dead-letters", self.broker)


@pytest.fixture
def shop(broker: str, topic: Callable[..., str], tmp_path: Path) -> Shop:
    """One that has met a zero and a text."""
    made = Shop(broker, topic("in", 1), topic("out", 1), tmp_path)
    Topics(broker).create(made.letters.topic, 1)
    values = [hr.INT64.encode(5), hr.INT64.encode(0), b"five"]
    headers = (("trace", b"\xff"),)
    produce(broker, None, made.source, [NewRecord(key=b"k", value=value, headers=headers) for value in values])
    assert made.run() == [20]
    return made


def test_letters_have_the_bytes_of_their_records(shop: Shop) -> None:
    zero, text = shop.letters.all()
    assert (zero.record.key, zero.record.value, text.record.value) == (b"k", hr.INT64.encode(0), b"five")
    assert [letter.record.headers[0] for letter in (zero, text)] == [("trace", b"\xff")] * 2
    assert [zero.told(name) for name in ("node", "error", "message", "origin", "attempt")] == [
        f"{shop.source}.map_values",
        "ZeroDivisionError",
        "division by zero",
        f"{shop.source}-0@1",
        "1",
    ]
    assert text.told("message") == "the value of a record is not INT64: 4 bytes, 8 are needed"


def test_the_command(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    def told(*arguments: str) -> str:
        capsys.readouterr()
        main(["errors", arguments[0], str(shop.file), *arguments[1:]])
        out, err = capsys.readouterr()
        return out + err

    listed = told("list").splitlines()
    assert listed[0].split() == ["place", "time", "node", "error", "message", "origin", "attempt"]
    assert [line.split()[0] for line in listed[1:]] == ["0@0", "0@1"]
    assert "ZeroDivisionError  division by zero" in listed[1]
    shown = told("show", "0@1")
    assert "key:      k\nvalue:    five\ntrace:    ff (hexadecimal)\n" in shown
    assert f"origin:   {shop.source}-0@2\n" in shown
    assert "no dead letter in" in told("show", "0@7")
    assert "there is none at 0@7" in told("resend", "0@7", "-y")
    assert "name the places of the letters to send again, or --all" in told("resend")
    assert told("resend", "--all", "--yes") == f"sent 2 records to {shop.source}\n"
    assert told("list") == f"no dead letters in {shop.letters.topic} wait\n"
    assert len(told("list", "--all").splitlines()) == 3

    # The function is mended since; the text is still none.
    assert shop.run("100 // F.greatest(value, 1)") == [20, 100]
    (text,) = shop.letters.waiting()
    assert (text.told("attempt"), text.told("origin")) == ("2", f"{shop.source}-0@4")
    assert told("resend", text.place, "-y") == f"sent 1 record to {shop.source}\n"
    assert [letter.place for letter in shop.letters.waiting()] == [text.place]


def test_a_letter_that_says_nothing_of_its_origin_is_not_sent(shop: Shop) -> None:
    produce(shop.broker, None, shop.letters.topic, [NewRecord(value=b"somebody's")])
    *_, strange = shop.letters.all()
    with pytest.raises(LetterMissing, match="there is none at 0@99"):
        named(shop.letters, ["0@99"])
    with pytest.raises(LetterNotWhole, match=f"the dead letter {strange.place} does not say where its record came"):
        shop.letters.send_again([strange])


def test_what_could_not_be_written_is_left_out_of_all(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    told = (("headrace.node", b"out"), ("headrace.error", b"RecordRefused"))
    produce(shop.broker, None, shop.letters.topic, [NewRecord(value=b"large", headers=told)])
    main(["errors", "resend", str(shop.file), "--all", "--yes"])
    out, err = capsys.readouterr()
    assert out.endswith(f"sent 2 records to {shop.source}\n")
    assert err.endswith("left out 1 that cannot be sent again; list --all shows them\n")
    assert list(shop.letters.waiting()) == []
    produce(shop.broker, None, shop.letters.topic, [NewRecord(value=b"large", headers=told)])
    main(["errors", "resend", str(shop.file), "--all", "--yes"])
    assert "wait, but 1 that cannot be sent again" in capsys.readouterr().err


def test_what_is_not_whole_is_not_sent(shop: Shop) -> None:
    """A value that is missing would delete the row of a table."""
    origin = ("headrace.origin", f"{shop.source}-0@1".encode())
    cut = ("headrace.cut", b"it was too large for this topic")
    produce(shop.broker, None, shop.letters.topic, [NewRecord(key=b"k", headers=(origin, cut))])
    *others, letter = shop.letters.all()
    assert [one.whole for one in (*others, letter)] == [True, True, False]
    with pytest.raises(LetterNotWhole, match="has not all of its record: it was too large for this topic"):
        shop.letters.send_again([letter])


def test_nothing_is_sent_if_a_topic_is_gone(shop: Shop) -> None:
    origin = ("headrace.origin", b"zzz-gone-0@1")
    produce(shop.broker, None, shop.letters.topic, [NewRecord(value=b"lost", headers=(origin,))])
    before = len(list(consume(shop.broker, None, shop.source)))
    with pytest.raises(TopicMissing, match="zzz-gone"):
        shop.letters.send_again(shop.letters.all())
    assert len(list(consume(shop.broker, None, shop.source))) == before


def test_a_record_of_time_zero_is_sent_again(shop: Shop) -> None:
    """The client takes no time below 1."""
    (zero, _), early = shop.letters.all(), ("headrace.origin", f"{shop.source}-0@1".encode())
    record = replace(zero.record, timestamp_ms=0, headers=(early,))
    assert shop.letters.send_again([DeadLetter(record)]) == 1
    *_, again = consume(shop.broker, None, shop.source)
    assert (again.timestamp_ms, again.value) == (1, zero.record.value)


def test_a_function_may_have_the_application_fail(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    app = hr.App(f"choosy-{source}", broker=broker, checkpoint=tmp_path, on_error=lambda _: "fail")
    app.stream(source, value=hr.INT64).map_values(lambda value: 1 // value).to(target)
    Topics(broker).create(app.dead_letters, 1)
    produce(broker, None, source, [NewRecord(value=hr.INT64.encode(0))])
    with pytest.raises(RecordFailed, match="map_values failed on a record: division by zero"):
        app.run(until="latest")


def test_without_the_topic_it_does_not_start(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    app = hr.App(f"lost-{topic()}", broker=broker, checkpoint=tmp_path, on_error="dead_letter")
    app.stream(topic()).map_values(lambda value: value[0]).to(topic())
    with pytest.raises(TopicMissing, match=app.dead_letters):
        app.run(until="latest")
